// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// A ledger that is removed by force has no deletionTimestamp, and one that went back has a revision
// that this process knows.
func TestR32ALossIsNewsAndAnOwnWriteIsNot(t *testing.T) {
	t.Parallel()
	const seen = 3
	at := func(revision int64) *v1alpha1.RequestLedger {
		ledger := &v1alpha1.RequestLedger{ObjectMeta: metav1.ObjectMeta{Name: decide.LedgerName(orderSpec())}}
		ledger.Spec = *orderSpec()
		ledger.Spec.Revision = revision
		return ledger
	}
	ledgers := &operate.Ledgers{Cluster: &oneLedger{ledger: at(seen)}}
	if _, _, err := ledgers.Get(t.Context(), at(seen).Name, 0); err != nil {
		t.Fatal(err)
	}
	news := (&Operator{Ledgers: ledgers}).ledgerNews()
	for name, change := range map[string]struct{ got, want bool }{
		"created by this process":      {news.Create(event.CreateEvent{Object: at(seen)}), false},
		"updated by this process":      {news.Update(event.UpdateEvent{ObjectOld: at(seen - 1), ObjectNew: at(seen)}), false},
		"updated by another process":   {news.Update(event.UpdateEvent{ObjectOld: at(seen), ObjectNew: at(seen + 1)}), true},
		"replaced by an older version": {news.Update(event.UpdateEvent{ObjectOld: at(seen), ObjectNew: at(seen - 1)}), true},
		"removed by force":             {news.Delete(event.DeleteEvent{Object: at(seen)}), true},
	} {
		if change.got != change.want {
			t.Errorf("%s: it is news: %t, want %t", name, change.got, change.want)
		}
	}
}

func orderSpec() *v1alpha1.RequestLedgerSpec {
	return &v1alpha1.RequestLedgerSpec{
		Login: v1alpha1.CarrierLogin{ClientName: "a"}, Order: &v1alpha1.LedgerOrder{CustomerReference: "r"},
	}
}

// Forgetting the object that exists would send its warnings again, and drop what was read for it.
func TestOnlyTheObjectThatIsGoneCountsAsDeleted(t *testing.T) {
	t.Parallel()
	object := func(uid types.UID) client.Object {
		return &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{UID: uid}}
	}
	var gone []types.UID
	deleted := whenDeleted(func(_ context.Context, object client.Object) []ctrl.Request {
		gone = append(gone, object.GetUID())
		return nil
	})
	deleted.Update(t.Context(), event.UpdateEvent{ObjectOld: object("edited"), ObjectNew: object("edited")}, nil)
	deleted.Update(t.Context(), event.UpdateEvent{ObjectOld: object("replaced"), ObjectNew: object("new")}, nil)
	deleted.Delete(t.Context(), event.DeleteEvent{Object: object("deleted")}, nil)
	if want := []types.UID{"replaced", "deleted"}; !slices.Equal(gone, want) {
		t.Errorf("deleted are %v, want %v", gone, want)
	}
}
