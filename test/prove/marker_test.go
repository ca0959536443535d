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

// system returns the namespace whose UID identifies the cluster.
func system() *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem}}
}

// marked runs a test in which the operator looks for a marker, and starts only after the object was
// applied.
func marked(t *testing.T, asks v1alpha1.Operation, scene func(*testing.T, *scripted)) {
	t.Helper()
	script(t, asks, 1, func(t *testing.T, s *scripted) {
		t.Helper()
		s.marker = v1alpha1.MarkerName
		must(s.store.Client().Create(t.Context(), system()))
		s.restart()
		scene(t, s)
	})
}

// operatorFirst runs the operator before anything is applied, as in a new installation.
func (s *scripted) operatorFirst(t *testing.T) {
	t.Helper()
	must(s.store.Client().Delete(t.Context(), s.subject()))
	must(s.managers[0].reconcilers.Marker.Start(t.Context()))
	s.create(t.Context())
	s.alert()
}

// moves copies everything into another cluster, where the operator starts.
func (s *scripted) moves(t *testing.T) {
	t.Helper()
	must(s.store.Client().Delete(t.Context(), system()))
	must(s.store.Client().Create(t.Context(), system()))
	s.restart()
}

// ledgers returns the ledgers without the marker.
func (s *scripted) ledgers(t *testing.T) []v1alpha1.RequestLedger {
	t.Helper()
	var all v1alpha1.RequestLedgerList
	must(s.store.Client().List(t.Context(), &all))
	return slices.DeleteFunc(all.Items, func(ledger v1alpha1.RequestLedger) bool {
		return ledger.Spec.Marker != nil || ledger.Spec.Account != nil
	})
}

// forget force-deletes all ledgers, including the marker.
func (s *scripted) forget(t *testing.T) {
	t.Helper()
	for _, ledger := range append(s.ledgers(t), *s.theMarker(t)) {
		s.drop(t, &ledger)
	}
}

func (s *scripted) drop(t *testing.T, ledger *v1alpha1.RequestLedger) {
	t.Helper()
	ledger.Finalizers = nil
	must(s.store.Client().Update(t.Context(), ledger))
	must(s.store.Client().Delete(t.Context(), ledger))
}

func (s *scripted) theMarker(t *testing.T) *v1alpha1.RequestLedger {
	t.Helper()
	var marker v1alpha1.RequestLedger
	must(s.store.Client().Get(t.Context(), client.ObjectKey{Name: v1alpha1.MarkerName}, &marker))
	return &marker
}

// acknowledge does what the object's message asks for.
func (s *scripted) acknowledge(t *testing.T) {
	t.Helper()
	cluster := system()
	must(s.store.Client().Get(t.Context(), client.ObjectKeyFromObject(cluster), cluster))
	command := "kubectl annotate --overwrite ledger marker 'wholesale.broadband/acknowledge=" + string(cluster.UID) + "'"
	if said := s.message(); !strings.Contains(said, command) {
		t.Fatalf("%q does not say %q", said, command)
	}
	marker := s.theMarker(t)
	annotate(marker, v1alpha1.AnnotationAcknowledge, string(cluster.UID))
	must(s.store.Client().Update(t.Context(), marker))
	s.alert()
}

// message returns the message of the Ready condition.
func (s *scripted) message() string {
	conditions, _ := s.subject().Describes()
	at := slices.IndexFunc(*conditions, func(c metav1.Condition) bool { return c.Type == v1alpha1.ConditionReady })
	return (*conditions)[at].Message
}

// expect expects the number of requests of an operation that were sent, and the object's reason.
func (s *scripted) expect(t *testing.T, asks v1alpha1.Operation, sent int, reason string) {
	t.Helper()
	s.drive(t.Context())
	if said, _, _ := stateOf(s.subject()); s.posted(asks) != sent || said != reason {
		t.Fatalf("%d of %s were sent, not %d, and the object is %s, not %s (%s)",
			s.posted(asks), asks, sent, said, reason, s.message())
	}
}
