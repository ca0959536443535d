// SPDX-License-Identifier: Apache-2.0

package watch

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
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
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
	ledgers := &requestledger.Store{Cluster: oneLedger{ledger: at(seen)}}
	if _, _, err := ledgers.Get(t.Context(), at(seen).Name, 0); err != nil {
		t.Fatal(err)
	}
	news := LedgerNews(ledgers)
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

// oneLedger is a client that returns one ledger.
type oneLedger struct {
	client.Client

	ledger *v1alpha1.RequestLedger
}

func (o oneLedger) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if found, ok := into.(*v1alpha1.RequestLedger); ok {
		o.ledger.DeepCopyInto(found)
	}
	return nil
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
	deleted := WhenDeleted(func(_ context.Context, object client.Object) []ctrl.Request {
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

// The first response of the carrier used to trigger all objects of an account. Of a thousand
// objects that had just been written, one was then reconciled from an older cached copy, and its
// write failed with a conflict. No object waits for the carrier to respond for the first time, or
// to stop responding.
func TestACarrierThatAnswersFirstOrNoMoreReconcilesNoObject(t *testing.T) {
	t.Parallel()
	yes, no := metav1.ConditionTrue, metav1.ConditionFalse
	account := func(version string, generation int64, conditions ...metav1.Condition) *v1alpha1.CarrierAccount {
		made := &v1alpha1.CarrierAccount{}
		made.ResourceVersion, made.Generation, made.Status.Conditions = version, generation, conditions
		return made
	}
	ready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: yes}
	unready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: no}
	answers := metav1.Condition{Type: v1alpha1.ConditionCarrier, Status: yes}
	silent := metav1.Condition{Type: v1alpha1.ConditionCarrier, Status: no}
	for name, change := range map[string]struct {
		before, after *v1alpha1.CarrierAccount
		wakes         bool
	}{
		"it answers for the first time":     {account("1", 1, ready), account("2", 1, ready, answers), false},
		"it answers again":                  {account("1", 1, ready, silent), account("2", 1, ready, answers), true},
		"it does not answer":                {account("1", 1, ready), account("2", 1, ready, silent), false},
		"it answers no more":                {account("1", 1, ready, answers), account("2", 1, ready, silent), false},
		"it answers no more, and no login":  {account("1", 1, ready, answers), account("2", 1, unready, silent), true},
		"it answers, and the login is done": {account("1", 1, unready), account("2", 1, ready, answers), true},
		"it answers, and the spec is other": {account("1", 1, ready), account("2", 2, ready, answers), true},
		"the login is done":                 {account("1", 1, unready), account("2", 1, ready), true},
	} {
		update := event.UpdateEvent{ObjectOld: change.before, ObjectNew: change.after}
		if wakes := AccountChanges().Update(update); wakes != change.wakes {
			t.Errorf("%s: it wakes the objects of the account: %t, want %t", name, wakes, change.wakes)
		}
	}
	if !AccountChanges().Create(event.CreateEvent{Object: account("1", 1)}) {
		t.Error("an account is created: its objects are not reconciled")
	}
}
