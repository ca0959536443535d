// SPDX-License-Identifier: Apache-2.0

package requestledger

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

var errStep = errors.New("this step fails")

// slow is an API server whose watch event arrives before its response.
type slow struct {
	client.Client

	meanwhile func(*v1alpha1.RequestLedger) error
}

func (s slow) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is {
		return errors.ErrUnsupported
	}
	return s.meanwhile(ledger)
}

// An own write wakes nobody (R32).
func TestR32OwnWritesAreNotNews(t *testing.T) {
	t.Parallel()
	ledgers := &Store{}
	ledgers.Cluster = slow{meanwhile: func(written *v1alpha1.RequestLedger) error {
		if ledgers.IsNews(written.Name, written.Spec.Revision) {
			t.Error("the watch shows our own write before we have the response to it, and that is news")
		}
		if !ledgers.IsNews(written.Name, written.Spec.Revision+1) {
			t.Error("what another process has written since is no news")
		}
		return nil
	}}
	ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Service: &v1alpha1.LedgerService{ID: "1"}}}
	ledger.Name = decide.LedgerName(&ledger.Spec)
	if err := ledgers.Write(t.Context(), ledger); err != nil {
		t.Fatal(err)
	}
	if ledgers.IsNews(ledger.Name, ledger.Spec.Revision) || !ledgers.IsNews(ledger.Name, ledger.Spec.Revision+1) {
		t.Error("what is known is news, or what is not known is none")
	}
}

// A ledger is created only if the installation's marker allows it. The marker itself may always be
// created.
func TestALedgerIsCreatedOnlyIfItMayBe(t *testing.T) {
	t.Parallel()
	ofService := v1alpha1.RequestLedgerSpec{Service: &v1alpha1.LedgerService{ID: "1"}}
	for name, row := range map[string]struct {
		spec    v1alpha1.RequestLedgerSpec
		refusal error
		created bool
	}{
		"it may be":     {ofService, nil, true},
		"it may not be": {ofService, errStep, false},
		"the marker":    {v1alpha1.RequestLedgerSpec{Marker: &v1alpha1.LedgerMarker{}}, errStep, true},
	} {
		created := false
		ledgers := &Store{MayCreate: func(context.Context, *v1alpha1.RequestLedger) error { return row.refusal }}
		ledgers.Cluster = slow{meanwhile: func(*v1alpha1.RequestLedger) error { created = true; return nil }}
		ledger := &v1alpha1.RequestLedger{Spec: row.spec}
		ledger.Name = "ledger"
		err := ledgers.Write(t.Context(), ledger)
		if created != row.created || (err == nil) != row.created || err != nil && !errors.Is(err, errStep) {
			t.Errorf("%s: created %t, %v", name, created, err)
		}
	}
}

// A failed write is not mistaken for a state that was seen and lost.
func TestR6AFailedWriteIsNotAKnownState(t *testing.T) {
	t.Parallel()
	ledgers := &Store{Cluster: slow{meanwhile: func(*v1alpha1.RequestLedger) error { return errStep }}}
	ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Service: &v1alpha1.LedgerService{ID: "1"}}}
	ledger.Name = decide.LedgerName(&ledger.Spec)
	if err := ledgers.Write(t.Context(), ledger); !errors.Is(err, errStep) {
		t.Fatal(err)
	}
	if seen := ledgers.of(ledger.Name).revision; seen != 0 {
		t.Errorf("revision %d counts as seen", seen)
	}
}

// A ledger that was rolled back is still behind after a response was written into it (R6).
func TestR6AWriteToAnOutdatedLedgerDoesNotHideTheLoss(t *testing.T) {
	t.Parallel()
	ledgers := &Store{Cluster: slow{meanwhile: func(*v1alpha1.RequestLedger) error { return nil }}}
	ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Service: &v1alpha1.LedgerService{ID: "1"}}}
	ledger.Name = decide.LedgerName(&ledger.Spec)
	ledgers.noteShown(ledger.Name, 7)
	ledger.Spec.Revision = 6
	if err := ledgers.Amend(t.Context(), ledger); err != nil || ledger.Spec.Revision >= ledgers.of(ledger.Name).revision {
		t.Errorf("revision %d of %d: %v", ledger.Spec.Revision, ledgers.of(ledger.Name).revision, err)
	}
	if err := ledgers.Write(t.Context(), ledger); err != nil || ledger.Spec.Revision != 8 {
		t.Errorf("revision %d once it is known to be lost: %v", ledger.Spec.Revision, err)
	}
}

// The API server has to store what was written (R1).
func TestR1APrunedLedgerIsAnError(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answers func(*v1alpha1.RequestLedger) error
		pruned  bool
	}{
		"it is kept": {func(*v1alpha1.RequestLedger) error { return nil }, false},
		"a field is missing in the response": {func(l *v1alpha1.RequestLedger) error {
			l.Spec.Open[0].BodyHash = ""
			return nil
		}, true},
		"a field is not known": {func(*v1alpha1.RequestLedger) error {
			return apierrors.NewBadRequest(`strict decoding error: unknown field "spec.open[0].bodyHash"`)
		}, true},
		"something else is wrong": {func(*v1alpha1.RequestLedger) error { return apierrors.NewBadRequest("no") }, false},
	} {
		ledgers := &Store{Cluster: slow{meanwhile: row.answers}}
		ledger := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
			Service: &v1alpha1.LedgerService{ID: "1"}, Open: []v1alpha1.Request{{BodyHash: "sha256:0"}},
		}}
		ledger.Name = decide.LedgerName(&ledger.Spec)
		if err := ledgers.Write(t.Context(), ledger); errors.Is(err, ErrPruned) != row.pruned {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After a restore, a different ledger may have the revision that was seen.
func TestR6ALedgerOfAKnownRevisionIsBehindWithoutItsAttempts(t *testing.T) {
	t.Parallel()
	var ledgers Store
	seen := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{
		Revision: 1, Open: []v1alpha1.Request{{AttemptID: "a-1"}}, Ended: []v1alpha1.EndedAttempt{{AttemptID: "a-0"}},
	}}
	ledgers.note("service", seen)
	empty := &v1alpha1.RequestLedger{Spec: v1alpha1.RequestLedgerSpec{Revision: 1}}
	ledgers.note("service", empty)
	newer := seen.DeepCopy()
	newer.Spec.Revision, newer.Spec.Open = 2, nil
	for name, test := range map[string]struct {
		ledger *v1alpha1.RequestLedger
		behind bool
	}{"the same": {seen, false}, "an empty one": {empty, true}, "none": {nil, true}, "a newer one": {newer, false}} {
		if ledgers.isBehind("service", test.ledger) != test.behind {
			t.Errorf("%s: behind is %v", name, !test.behind)
		}
	}
}
