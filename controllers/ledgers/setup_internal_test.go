// SPDX-License-Identifier: Apache-2.0

package ledgers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/cache"
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

// The process remembers what it has seen of each ledger (R6). A ledger that is gone is lost, unless
// a manager has released it.
func TestR6OnlyAReleasedLedgerIsNotLost(t *testing.T) {
	t.Parallel()
	deleted := &metav1.Time{Time: time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)}
	spec := v1alpha1.RequestLedgerSpec{
		Revision: 3, Schema: v1alpha1.LedgerSchema, Login: v1alpha1.CarrierLogin{ClientName: "shop"},
		Service: &v1alpha1.LedgerService{ID: "1"},
	}
	name := decide.LedgerName(&spec)
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
		operator := &pass.Operator{Ledgers: &requestledger.Store{Cluster: cluster, Live: cluster}}
		if _, _, err := operator.Ledgers.GetLive(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		gone := ledger.DeepCopy()
		gone.DeletionTimestamp = test.deleted
		gone.Annotations = map[string]string{v1alpha1.AnnotationForget: test.forget}
		(&Reconciler{operator}).forget(t.Context(), gone)
		cluster.ledger = nil
		if _, lost, err := operator.Ledgers.GetLive(t.Context(), name); err != nil || lost != test.lost {
			t.Errorf("%s: lost %t, %v", why, lost, err)
		}
	}
}

// Each deleted service, order and test asks which ledgers are being deleted. Looking through all
// ledgers each time made the deletion of a namespace with 10,000 services take minutes of CPU time.
func TestADeletedObjectReconcilesOnlyTheLedgersThatAreBeingDeleted(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)
	held := cache.Fleet(20, began)
	ledgers := held.Lists["*v1alpha1.RequestLedgerList"]
	for i, leaves := range []func(*v1alpha1.RequestLedger){
		func(ledger *v1alpha1.RequestLedger) { ledger.Finalizers = []string{v1alpha1.FinalizerMemory} },
		func(ledger *v1alpha1.RequestLedger) { ledger.DeletionTimestamp = &metav1.Time{Time: began} },
		func(ledger *v1alpha1.RequestLedger) {
			ledger.DeletionTimestamp, ledger.Finalizers = &metav1.Time{Time: began}, []string{v1alpha1.FinalizerMemory}
		},
	} {
		ledger, is := ledgers[i].(*v1alpha1.RequestLedger)
		if !is {
			t.Fatalf("%T is no ledger", ledgers[i])
		}
		ledger.Name = fmt.Sprint("ledger-", i)
		leaves(ledger)
	}
	reconciler := &Reconciler{&pass.Operator{Client: held}}
	want := []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "ledger-2"}}}
	if diff := cmp.Diff(want, reconciler.ledgersToRelease(t.Context(), &v1alpha1.BroadbandService{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
