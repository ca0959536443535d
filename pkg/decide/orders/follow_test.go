// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

const day = 24 * time.Hour

// followedOrder is an order that the carrier accepted at the start as order 7, with an account that
// reads orders.
func followedOrder(edits ...func(*orders.Input)) orders.Input {
	order := &v1alpha1.ServiceOrder{
		ObjectMeta: metav1.ObjectMeta{Name: "site", Namespace: "shop", UID: "u-1", Generation: 1},
		Spec:       *asks(v1alpha1.ScenarioFirst, "Slow", "wholesale-tech"),
	}
	order.Spec.CustomerReference, order.Spec.Term = "SITE-014", 12
	in := orderAt(order, decidetest.Start(), false)
	in.Account.Object.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionOrderRead}
	in.Ledger = &v1alpha1.RequestLedger{}
	in.Ledger.Spec.Login = decidetest.Login()
	in.Ledger.Spec.Known.Order = &v1alpha1.OrderFacts{OrderID: "7", CarrierStatus: "OPEN"}
	in.Ledger.Put(v1alpha1.Request{
		Operation: v1alpha1.OperationOrderCreate, AttemptID: "a-1", UID: "u-1", Phase: v1alpha1.PhaseSucceeded,
		FinishedAt: metav1.NewTime(decidetest.Start()),
	})
	for _, edit := range edits {
		edit(&in)
	}
	orders.Project(order, in.Ledger, metav1.NewTime(in.Now))
	return in
}

// looks returns when an order is read, if each read is answered and shows nothing new.
func looks(in orders.Input) (at []time.Duration) {
	for {
		decision := orders.Decide(in)
		switch {
		case decide.IsRest(decision.Step) && decision.RequeueAt.IsZero():
			return at
		case decide.IsRest(decision.Step):
			in.Now = decision.RequeueAt
		default:
			at = append(at, in.Now.Sub(decidetest.Start()))
			in.Memory.Readings.Order = decide.Reading{State: decide.ReadingRecorded, RequestedAt: in.Now}
		}
	}
}

func TestAnAcceptedOrderIsReadOnASlowBoundedCurve(t *testing.T) {
	t.Parallel()
	at := looks(followedOrder())
	if len(at) > 400 || at[0] < time.Minute || at[0] > 75*time.Second || at[len(at)-1] > 90*day {
		t.Errorf("%d reads, the first after %v, the last after %v", len(at), at[0], at[len(at)-1])
	}
	firstDay, _ := slices.BinarySearch(at, day)
	if firstDay < 12 || firstDay > 20 {
		t.Errorf("%d reads on the first day", firstDay)
	}
	for i := 1; i < len(at); i++ {
		if pause := at[i] - at[i-1]; pause < time.Minute || pause > 7*time.Hour+30*time.Minute {
			t.Errorf("%v between two reads", pause)
		}
	}
}

func TestAnOrderThatIsNoLongerReadSaysHowToReadIt(t *testing.T) {
	t.Parallel()
	const hint = "is no longer read: to read it once more, run: kubectl -n shop annotate --overwrite sorder site"
	late := orders.Decide(followedOrder(func(in *orders.Input) { in.Now = in.Now.Add(91 * day) }))
	if !strings.Contains(late.Verdict.Message, hint) {
		t.Error(late.Verdict.Message)
	}
}

func TestOnlyAnOpenOrderOfTheAccountsCarrierIsRead(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*orders.Input){
		"without the extension":   func(in *orders.Input) { in.Account.Object.Spec.Extensions = nil },
		"without an account":      func(in *orders.Input) { in.Account.Object = nil },
		"account not ready":       func(in *orders.Input) { in.Account.Unusable = errors.New("no key") },
		"without a ledger":        func(in *orders.Input) { in.Ledger = nil },
		"a service":               func(in *orders.Input) { in.Ledger.Spec.Known.Order.ServiceID = "9" },
		"a service by a person":   func(in *orders.Input) { in.Order.Spec.ServiceID = "9" },
		"a number nobody knows":   func(in *orders.Input) { in.Ledger.Spec.Known.Order = nil },
		"a rejection":             func(in *orders.Input) { in.Order.Status.Rejection = &v1alpha1.Notice{} },
		"the response was lost":   func(in *orders.Input) { in.Ledger.Spec.Last[0].Phase = v1alpha1.PhaseOutcomeUnknown },
		"the order was abandoned": func(in *orders.Input) { in.Ledger.Spec.Last[0].Phase = v1alpha1.PhaseAbandoned },
		"a carrier without it": func(in *orders.Input) {
			refusal := &carrier.Error{HTTPStatus: 404, Class: carrier.NotFoundOrForbidden}
			in.Memory.Readings.Order = decide.Reading{State: decide.ReadingFailed, Err: refusal}
			in.Account.Extensions = make(decide.Extensions)
			in.Account.Extensions[v1alpha1.ExtensionOrderRead] = refusal
		},
	} {
		in := followedOrder(edit)
		in.Now = decidetest.Start().Add(day)
		if step := decidetest.StepName(orders.Decide(in).Step); step == "StartReading order" {
			t.Errorf("%s: it is read", name)
		}
	}
	in := followedOrder()
	in.Now = decidetest.Start().Add(day)
	if step := decidetest.StepName(orders.Decide(in).Step); step != "StartReading order" {
		t.Errorf("an open order: %s", step)
	}
}

func TestWhatTheCarrierLeavesOutOfAReadStaysKnown(t *testing.T) {
	t.Parallel()
	in := followedOrder(func(in *orders.Input) {
		in.Ledger.Spec.Known.Order.PlanName, in.Ledger.Spec.Known.Order.AVCID = "Slow", "AVC1"
	})
	in.Memory.Readings.Order = decide.Reading{
		State: decide.ReadingAnswered, Order: carrier.Order{ID: 7, Status: strings.Repeat("x", 100), AVCID: "AVC2"},
	}
	in.Order.Status.Appointments = []string{"{}"}
	if !orders.Learn(&in) {
		t.Fatal("nothing was learned")
	}
	status := in.Order.Status
	if status.PlanName != "Slow" || status.AVCID != "AVC2" || len(status.CarrierStatus) > 64 {
		t.Errorf("%+v", status.OrderFacts)
	}
	if len(status.Appointments) != 1 {
		t.Errorf("%q", status.Appointments)
	}
	for _, reading := range []decide.Reading{
		{State: decide.ReadingRecorded, Order: carrier.Order{ID: 7}},
		{State: decide.ReadingAnswered, Order: carrier.Order{ID: 8}},
	} {
		in.Memory.Readings.Order = reading
		if orders.Learn(&in) {
			t.Errorf("something was learned from %+v", reading)
		}
	}
}
