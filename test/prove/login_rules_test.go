// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// loginLedger returns the ledger that all accounts with the account's login share.
func (s *scriptedRun) loginLedger(t *testing.T) *v1alpha1.RequestLedger {
	t.Helper()
	var ledgers v1alpha1.RequestLedgerList
	must(s.store.Client().List(t.Context(), &ledgers))
	for i := range ledgers.Items {
		if ledgers.Items[i].Spec.Account != nil {
			return &ledgers.Items[i]
		}
	}
	t.Fatal("there is no RequestLedger of the login")
	return nil
}

// accountReady reconciles the account, and returns the reason and the message of its Ready
// condition.
func (s *scriptedRun) accountReady(t *testing.T) (reason, message string) {
	t.Helper()
	s.managers[0].login = now()
	s.managers[0].pass(t.Context())
	var account v1alpha1.CarrierAccount
	must(s.store.Client().Get(t.Context(), keyIn(s.run, world.AccountName), &account))
	ready := meta.FindStatusCondition(account.Status.Conditions, v1alpha1.ConditionReady)
	return ready.Reason, ready.Message
}

// A ledger of a cluster that the marker does not list is lost (R26). This includes a login's
// ledger: from another cluster, it counts only that cluster's requests.
func TestR26LoginLedgerOfAnotherClusterIsLost(t *testing.T) {
	t.Parallel()
	runMarked(t, diagnosing, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.startBeforeObjects(t)
		s.expectPosted(t, diagnosing, 1, v1alpha1.ReasonCompleted)
		here := s.readMarker(t).Spec.Cluster
		if named := s.loginLedger(t).Spec.Cluster; named != here || here == "" {
			t.Fatalf("the ledger of the login names cluster %q, and this is %q", named, here)
		}

		foreign := s.loginLedger(t)
		foreign.Spec.Cluster = "elsewhere"
		foreign.Spec.Revision++
		must(s.store.Client().Update(t.Context(), foreign))
		reason, message := s.accountReady(t)
		if reason != v1alpha1.ReasonLedgerLost || !strings.Contains(message, foreign.Name) {
			t.Fatalf("the account is %s: %s", reason, message)
		}
		must(s.world.Create(t.Context(), s.another()))
		_, err := s.managers[0].reconcile(t.Context(),
			reconcilerOf(s.managers[0].reconcilers, kindTest), keyIn(s.run, "other"))
		must(err)
		if posted := s.posted(diagnosing); posted != 1 {
			t.Errorf("%d were sent while the ledger of the login was another cluster's", posted)
		}

		marker := s.readMarker(t)
		command := "kubectl annotate --overwrite ledger marker 'wholesale.broadband/acknowledge=" + here + "'"
		if !strings.Contains(message, command) {
			t.Fatalf("%q does not contain %q", message, command)
		}
		annotate(marker, v1alpha1.AnnotationAcknowledge, here)
		must(s.store.Client().Update(t.Context(), marker))
		if reason, message = s.accountReady(t); reason != v1alpha1.ReasonTokenIssued {
			t.Errorf("the account is %s after that was acknowledged: %s", reason, message)
		}
	})
}
