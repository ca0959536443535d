// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// ledgerCase is a ledger, described by its newest attempt and its holder, and what it means for an
// order.
type ledgerCase struct {
	phase       v1alpha1.RequestPhase // of the newest attempt; "" for no ledger
	holder      string                // "" for this object
	holderLives bool
	lost        bool
	schema      int32
	former      bool   // whether the status names the ledger of another login
	hash        string // "" for equal
	shown       string // the attempt in the status; "" for none

	take   bool
	losing bool
	reason string // why the order is blocked
}

func (c ledgerCase) order() *v1alpha1.ServiceOrder {
	order := &v1alpha1.ServiceOrder{ObjectMeta: metav1.ObjectMeta{UID: "me", Name: "site"}}
	if c.shown != "" {
		order.Record().PutRequest(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: c.shown, Phase: v1alpha1.PhaseSucceeded,
		})
		order.Status.Ledger = &v1alpha1.LedgerReference{Name: "order-1", Revision: 2}
	}
	return order
}

func (c ledgerCase) view() decide.LedgerInput {
	order := c.order()
	account := &v1alpha1.CarrierAccount{Spec: v1alpha1.CarrierAccountSpec{BaseURL: "https://a"}}
	view := decide.LedgerInput{HolderExists: c.holderLives, Lost: c.lost, Input: decide.Input{
		Subject: order, Now: decidetest.Start(), Account: decide.Account{Object: account},
	}}
	if c.former {
		view.Former = &v1alpha1.RequestLedger{}
	}
	if c.phase != "" {
		view.Ledger = &v1alpha1.RequestLedger{
			ObjectMeta: metav1.ObjectMeta{Name: "order-1"},
			Spec: v1alpha1.RequestLedgerSpec{
				Schema: v1alpha1.LedgerSchema + c.schema,
				Order:  &v1alpha1.LedgerOrder{}, Holder: v1alpha1.LedgerHolder{UID: "me" + c.holder},
			},
		}
		view.Ledger.Open(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "a", Phase: c.phase, BodyHash: c.hash,
		})
	}
	return view
}

func TestR2R3WhichObjectMayUseALedger(t *testing.T) {
	t.Parallel()
	const (
		submitting, unknown    = v1alpha1.PhaseSubmitting, v1alpha1.PhaseOutcomeUnknown
		succeeded, rejected    = v1alpha1.PhaseSucceeded, v1alpha1.PhaseRejected
		notSent, notProcessed  = v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed
		abandoned, notAccepted = v1alpha1.PhaseAbandoned, v1alpha1.PhaseNotAccepted
		conflict, differs      = v1alpha1.ReasonConflict, v1alpha1.ReasonOrderDiffers
	)
	for name, c := range map[string]ledgerCase{
		"none":                        {},
		"no ledger, and one was seen": {lost: true, losing: true},
		"another holder exists":       {phase: rejected, holder: "x", holderLives: true, reason: conflict},
		"another holder exists, older ledger": {
			phase: rejected, holder: "x", holderLives: true, lost: true, reason: conflict,
		},
		"another holder is gone, succeeded":     {phase: succeeded, holder: "x", take: true},
		"another holder is gone, unknown":       {phase: unknown, holder: "x", take: true},
		"another holder is gone, submitting":    {phase: submitting, holder: "x", take: true},
		"another holder is gone, abandoned":     {phase: abandoned, holder: "x", hash: "other", take: true},
		"another holder is gone, rejected":      {phase: rejected, holder: "x", hash: "other"},
		"another holder is gone, not processed": {phase: notProcessed, holder: "x", hash: "other"},
		"another holder is gone, not sent":      {phase: notSent, holder: "x"},
		"another order":                         {phase: succeeded, holder: "x", hash: "other", reason: differs},
		"another order, unknown":                {phase: unknown, holder: "x", hash: "other", reason: differs},
		"another login":                         {former: true, reason: conflict},
		"another login, and one was seen":       {former: true, lost: true, reason: conflict},
		"another login, holder gone":            {phase: succeeded, holder: "x", former: true, reason: conflict},
		"another login, done":                   {phase: succeeded, former: true, reason: conflict},
		"ours":                                  {phase: succeeded},
		"ours, older ledger":                    {phase: rejected, lost: true, losing: true},
		"ours, older ledger, in progress":       {phase: submitting, lost: true, losing: true},
		"ours, older ledger, not accepted":      {phase: notAccepted, lost: true, losing: true},
		"ours, older ledger, succeeded":         {phase: succeeded, lost: true, shown: "a"},
		"ours, older ledger, another succeeded": {phase: succeeded, lost: true, shown: "b", losing: true},
		"ours, older ledger, abandoned":         {phase: abandoned, lost: true},
		"of a newer version":                    {phase: rejected, schema: 1, reason: v1alpha1.ReasonLedgerUnreadable},
	} {
		judged := orders.JudgeLedger(c.view(), c.order())
		if judged.TakeOver != c.take || (judged.Lost != nil) != c.losing || decidetest.ReasonOf(judged.Verdict) != c.reason {
			t.Errorf("%s: %+v", name, judged)
		}
		if lost := judged.Lost; lost != nil && (lost.Phase != unknown || lost.Error.Code != v1alpha1.ReasonLedgerLost) {
			t.Errorf("%s: %+v stands for what was lost", name, lost)
		}
	}
}

func TestR11AnApprovalOutlivesAttemptsThatDidNotReachTheCarrier(t *testing.T) {
	t.Parallel()
	refused := ledgerCase{phase: v1alpha1.PhaseRejected}
	view := orders.Input{Input: refused.view().Input, Order: refused.order()}
	view.Subject = view.Order
	account := view.Account.Object
	account.Spec.Approval = v1alpha1.ApprovalAlways
	account.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}}
	account.Status.Login = new(account.Login())
	hash := func() string {
		orders.Project(view.Order, view.Ledger, metav1.NewTime(decidetest.Start()))
		return orders.Decide(view).Pending.Hash
	}
	first := hash()
	for _, phase := range []v1alpha1.RequestPhase{v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed} {
		view.Ledger.Open(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: string(phase), Phase: phase,
		})
		if again := hash(); again != first {
			t.Errorf("after %s another hash", phase)
		}
	}
	view.Ledger.Open(v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, AttemptID: "refused", Phase: v1alpha1.PhaseRejected,
	})
	if again := hash(); again == first {
		t.Error("after a refusal the old approval still fits")
	}
}

func TestR24DeletingAnOrderWarnsOfWhatContinues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		phase   v1alpha1.RequestPhase
		message string
	}{
		{v1alpha1.PhaseSubmitting, "deleted while attempt a of its order is Submitting"},
		{v1alpha1.PhaseOutcomeUnknown, "deleted while attempt a of its order is OutcomeUnknown"},
		{v1alpha1.PhaseSucceeded, "deleted: order 4711 continues at the carrier"},
		{v1alpha1.PhaseRejected, ""},
		{v1alpha1.PhaseNotSent, ""},
		{v1alpha1.PhaseAbandoned, ""},
	} {
		phase, message := test.phase, test.message
		left := ledgerCase{phase: phase}
		view, order := left.view(), left.order()
		view.Ledger.Spec.Known.Order = &v1alpha1.OrderFacts{OrderID: "4711"}
		words := orders.DeletionWarning(order, view.Ledger)
		if !strings.HasPrefix(words, message) || (message == "") != (words == "") {
			t.Errorf("%s: %q", phase, words)
		}
		view.Ledger.Spec.Holder.UID = "another"
		if words := orders.DeletionWarning(order, view.Ledger); words != "" {
			t.Errorf("%s, which another object holds: %q", phase, words)
		}
	}
}

// A status from before the newest attempt may show the order number of an earlier attempt.
func TestR5AnOrderTakesItsNumberFromItsLedger(t *testing.T) {
	t.Parallel()
	order := &v1alpha1.ServiceOrder{}
	order.Status.OrderID, order.Status.Address = "777", "1 Example Street"
	ledger := &v1alpha1.RequestLedger{}
	ledger.Open(v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, AttemptID: "b", Phase: v1alpha1.PhaseSubmitting,
	})
	orders.Project(order, ledger, metav1.NewTime(decidetest.Start()))
	if order.Status.OrderID != "" || order.Status.Address != "" {
		t.Errorf("it is order %s at %q", order.Status.OrderID, order.Status.Address)
	}
}

// The address belongs to the order with that number.
func TestR5AnAddressIsKeptOnlyForTheSameOrder(t *testing.T) {
	t.Parallel()
	for number, address := range map[v1alpha1.CarrierID]string{"777": "1 Example Street", "778": ""} {
		order := &v1alpha1.ServiceOrder{}
		order.Status.OrderID, order.Status.Address = "777", "1 Example Street"
		ledger := &v1alpha1.RequestLedger{}
		ledger.Open(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "b", Phase: v1alpha1.PhaseSucceeded,
		})
		ledger.Spec.Known.Order = &v1alpha1.OrderFacts{OrderID: number}
		orders.Project(order, ledger, metav1.NewTime(decidetest.Start()))
		if order.Status.OrderID != number || order.Status.Address != address {
			t.Errorf("order %s: it is order %s at %q", number, order.Status.OrderID, order.Status.Address)
		}
	}
}

// The carrier has rejected the order before, and the status was not written since the next one was
// sent.
func TestARejectionIsNotThatOfTheNextOrder(t *testing.T) {
	t.Parallel()
	sent := func(after time.Duration) metav1.Time { return metav1.NewTime(decidetest.Start().Add(after)) }
	for name, row := range map[string]struct {
		submitted metav1.Time // the newest attempt of the ledger
		kept      bool
	}{
		"the attempt itself":                {sent(0), true},
		"the next one":                      {sent(time.Hour), false},
		"an earlier one, accepted late":     {sent(-time.Hour), true},
		"one that stands for a lost ledger": {metav1.Time{}, true},
	} {
		order := ledgerCase{shown: "a"}.order()
		order.Status.Request.SubmittedAt = sent(0)
		order.Status.Rejection = &v1alpha1.Notice{Event: "OrderRejected"}
		ledger := ledgerCase{phase: v1alpha1.PhaseSucceeded}.view().Ledger
		ledger.RequestOf(v1alpha1.OperationOrderCreate).SubmittedAt = row.submitted
		orders.Project(order, ledger, sent(0))
		if (order.Status.Rejection != nil) != row.kept {
			t.Errorf("%s: it is kept: %t", name, !row.kept)
		}
	}
}

func TestR30ANewerLedgerOfAnOrderIsNotUsed(t *testing.T) {
	t.Parallel()
	order := &v1alpha1.ServiceOrder{}
	decidetest.AssertUnreadable(t, orders.JudgeLedger(decidetest.NewerLedger(order), order))
}
