// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
)

// oneLedger is a client that returns one ledger, or none.
type oneLedger struct {
	client.Client

	ledger *v1alpha1.RequestLedger
}

func (o *oneLedger) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	found, is := into.(*v1alpha1.RequestLedger)
	if !is || o.ledger == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "requestledgers"}, key.Name)
	}
	o.ledger.DeepCopyInto(found)
	return nil
}

// "The process keeps the highest revision that it has seen of each ledger" (R6). A ledger that is
// gone is lost, unless a manager has released it.
func TestR6OnlyAReleasedLedgerIsNotLost(t *testing.T) {
	t.Parallel()
	deleted := &metav1.Time{Time: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)}
	spec := v1alpha1.RequestLedgerSpec{
		Revision: 3, Schema: v1alpha1.LedgerSchema, Identity: "shop", Service: &v1alpha1.LedgerService{ID: "1"},
	}
	name := operate.LedgerName(&spec)
	for why, test := range map[string]struct {
		deleted *metav1.Time
		forget  string
		lost    bool
	}{
		"a manager released it":          {deleted, name, false},
		"its finalizer was removed":      {deleted, "", true},
		"the annotation names another":   {deleted, "another", true},
		"annotated, but not deleted yet": {nil, name, true},
	} {
		ledger := &v1alpha1.RequestLedger{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
		cluster := &oneLedger{ledger: ledger}
		operator := &Operator{Ledgers: &operate.Ledgers{Cluster: cluster, Live: cluster}}
		if _, _, err := operator.Ledgers.GetLive(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		gone := ledger.DeepCopy()
		gone.DeletionTimestamp = test.deleted
		gone.Annotations = map[string]string{v1alpha1.AnnotationForget: test.forget}
		(&LedgerReconciler{operator}).forget(t.Context(), gone)
		cluster.ledger = nil
		if _, lost, err := operator.Ledgers.GetLive(t.Context(), name); err != nil || lost != test.lost {
			t.Errorf("%s: lost %t, %v", why, lost, err)
		}
	}
}
