// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// systemNamespace returns the namespace whose UID identifies the cluster.
func systemNamespace() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem}}
}

// runMarked runs a test in which the operator looks for a marker, and starts only after the object
// was applied.
func runMarked(t *testing.T, operation v1alpha1.Operation, test func(*testing.T, *scriptedRun)) {
	t.Helper()
	runScript(t, operation, 1, func(t *testing.T, s *scriptedRun) {
		t.Helper()
		s.marker = v1alpha1.MarkerName
		must(s.store.Client().Create(t.Context(), systemNamespace()))
		s.restart()
		test(t, s)
	})
}

// startBeforeObjects runs the operator before anything is applied, as in a new installation.
func (s *scriptedRun) startBeforeObjects(t *testing.T) {
	t.Helper()
	must(s.store.Client().Delete(t.Context(), s.subject()))
	must(s.managers[0].reconcilers.Operator.Marker.Start(t.Context()))
	s.create(t.Context())
	s.notifyManagers()
}

// moveToOtherCluster copies everything into another cluster, where the operator starts.
func (s *scriptedRun) moveToOtherCluster(t *testing.T) {
	t.Helper()
	must(s.store.Client().Delete(t.Context(), systemNamespace()))
	must(s.store.Client().Create(t.Context(), systemNamespace()))
	s.restart()
}

// ledgers returns the ledgers without the marker.
func (s *scriptedRun) ledgers(t *testing.T) []v1alpha1.RequestLedger {
	t.Helper()
	var all v1alpha1.RequestLedgerList
	must(s.store.Client().List(t.Context(), &all))
	return slices.DeleteFunc(all.Items, func(ledger v1alpha1.RequestLedger) bool {
		return ledger.Spec.Marker != nil || ledger.Spec.Account != nil
	})
}

// deleteAllLedgers force-deletes all ledgers, including the marker.
func (s *scriptedRun) deleteAllLedgers(t *testing.T) {
	t.Helper()
	for _, ledger := range append(s.ledgers(t), *s.readMarker(t)) {
		s.forceDeleteLedger(t, &ledger)
	}
}

func (s *scriptedRun) forceDeleteLedger(t *testing.T, ledger *v1alpha1.RequestLedger) {
	t.Helper()
	ledger.Finalizers = nil
	must(s.store.Client().Update(t.Context(), ledger))
	must(s.store.Client().Delete(t.Context(), ledger))
}

func (s *scriptedRun) readMarker(t *testing.T) *v1alpha1.RequestLedger {
	t.Helper()
	var marker v1alpha1.RequestLedger
	must(s.store.Client().Get(t.Context(), client.ObjectKey{Name: v1alpha1.MarkerName}, &marker))
	return &marker
}

// acknowledge does what the object's message asks for.
func (s *scriptedRun) acknowledge(t *testing.T) {
	t.Helper()
	cluster := systemNamespace()
	must(s.store.Client().Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster))
	command := "kubectl annotate --overwrite ledger marker 'wholesale.broadband/acknowledge=" + string(cluster.UID) + "'"
	if message := s.message(); !strings.Contains(message, command) {
		t.Fatalf("%q does not contain %q", message, command)
	}
	marker := s.readMarker(t)
	annotate(marker, v1alpha1.AnnotationAcknowledge, string(cluster.UID))
	must(s.store.Client().Update(t.Context(), marker))
	s.notifyManagers()
}

// message returns the message of the Ready condition.
func (s *scriptedRun) message() string {
	conditions, _ := s.subject().Describes()
	at := slices.IndexFunc(*conditions, func(c metav1.Condition) bool { return c.Type == v1alpha1.ConditionReady })
	return (*conditions)[at].Message
}

// expectPosted expects that the given number of requests of an operation were sent, and that the
// object has the given reason.
func (s *scriptedRun) expectPosted(t *testing.T, operation v1alpha1.Operation, sent int, wantReason string) {
	t.Helper()
	s.drive(t.Context())
	if reason, _, _ := stateOf(s.subject()); s.posted(operation) != sent || reason != wantReason {
		t.Fatalf("%d of %s were sent, not %d, and the object is %s, not %s (%s)",
			s.posted(operation), operation, sent, reason, wantReason, s.message())
	}
}
