// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// FuzzServiceOrder decides about random orders and qualifications. It expects no panic, always the
// same decision, nothing sent while an attempt is open or was accepted, and no success without an
// accepted attempt.
func FuzzServiceOrder(f *testing.F) {
	spec := asks(v1alpha1.ScenarioFirst, "Slow", "wholesale-tech")
	spec.CustomerReference, spec.Term = "SITE-014", 1
	for _, qualification := range []string{"", empty, fibre, copper} {
		for _, phase := range []v1alpha1.RequestPhase{
			v1alpha1.PhaseSubmitting, v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseSucceeded, v1alpha1.PhaseRejected,
			v1alpha1.PhaseNotSent, v1alpha1.PhaseAbandoned,
		} {
			var status v1alpha1.ServiceOrderStatus
			status.Request = &v1alpha1.Request{
				Operation: v1alpha1.OperationOrderCreate, AttemptID: "a-1", Phase: phase, Sender: "us",
			}
			f.Add(decidetest.Encoded(f, spec), decidetest.Encoded(f, status), []byte(qualification),
				"a-1=NotAccepted", int64(60), uint8(0))
		}
		f.Add(decidetest.Encoded(f, spec), []byte("{}"), []byte(qualification), "", int64(60), uint8(0))
	}
	f.Fuzz(func(t *testing.T, spec, status, qualification []byte, resolve string, seconds int64, flags uint8) {
		order := &v1alpha1.ServiceOrder{ObjectMeta: metav1.ObjectMeta{Name: "site", Namespace: "shop", UID: "u-1"}}
		if json.Unmarshal(spec, &order.Spec) != nil || json.Unmarshal(status, &order.Status) != nil {
			return
		}
		order.Annotations = map[string]string{v1alpha1.AnnotationResolve: resolve}
		view := orderAt(order, decidetest.Start().Add(time.Duration(seconds%1e6)*time.Second), flags&1 != 0)
		read, err := carrier.DecodeQualification("", qualification)
		view.Qualification, view.QualificationErr = &read, err
		decision := orders.Decide(view)
		if again := orders.Decide(view); !cmp.Equal(decision, again) {
			t.Fatalf("two answers to one view:\n%s", cmp.Diff(decision, again))
		}
		checkOrder(t, order, decision)
	})
}

// orderAt is a view of an order whose account is ready, with an attempt that was posted or not.
func orderAt(order *v1alpha1.ServiceOrder, now time.Time, posted bool) orders.Input {
	attempt := decide.Attempt{FirstSeen: decidetest.Start(), LastPoll: decidetest.Start(), Posted: posted}
	return orders.Input{Order: order, Input: decide.Input{
		Subject: order, Account: decidetest.Input(order).Account, Submit: true, Now: now,
		Memory: decide.Memory{Observed: decide.Observed{Sender: "us"}, Attempts: map[string]decide.Attempt{"a-1": attempt}},
	}}
}

func checkOrder(t *testing.T, order *v1alpha1.ServiceOrder, decision decide.Decision) {
	t.Helper()
	request := order.Status.Request
	free := request == nil || decide.MayOrderAgain(request.Phase)
	if _, submits := decision.Step.(decide.Submit); submits && !free {
		t.Fatalf("an order is sent although its attempt is %s", request.Phase)
	}
	if decision.Verdict.State == decide.Settled && (request == nil || request.Phase != v1alpha1.PhaseSucceeded) {
		t.Fatalf("settled, and no attempt was taken: %+v", decision.Verdict)
	}
	decidetest.AssertWorded(t, decision.Verdict.Reason, decision.Verdict.Message)
	for _, aspect := range decision.Aspects {
		decidetest.AssertWorded(t, aspect.Reason, aspect.Message)
	}
}
