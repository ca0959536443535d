// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// refusedOrder is an order that was approved with the given annotation and refused with these
// codes.
func refusedOrder(approval string, codes ...string) orders.Input {
	order := &v1alpha1.ServiceOrder{
		ObjectMeta: metav1.ObjectMeta{Name: "site", Namespace: "shop", UID: "u-1", Generation: 1},
		Spec:       *asks(v1alpha1.ScenarioFirst, "Slow", "wholesale-tech"),
	}
	order.Spec.CustomerReference, order.Spec.Term, order.Spec.Approval = "SITE-014", 12, v1alpha1.ApprovalOnCost
	order.Annotations = map[string]string{v1alpha1.AnnotationApprove: approval}
	view := orderAt(order, decidetest.Start().Add(time.Hour), false)
	view.Ledger = &v1alpha1.RequestLedger{}
	for i, code := range codes {
		view.Ledger.Put(v1alpha1.Request{
			Operation: v1alpha1.OperationOrderCreate, AttemptID: "a-" + strconv.Itoa(i), Attempt: int32(i + 1),
			UID: "u-1", Generation: 1, Phase: v1alpha1.PhaseRejected, Error: &v1alpha1.RequestError{Code: code},
			ApprovedHash: approval, FinishedAt: metav1.NewTime(decidetest.Start()),
		})
	}
	orders.Project(order, view.Ledger, metav1.NewTime(view.Now))
	return view
}

// A refusal because a request is in progress may be about the order itself, which something on the way
// has sent twice. So it is not recorded as a refusal and, if it were, would not be sent again by
// itself.
func TestAnOrderRefusedBecauseAnotherRequestIsInProgressIsNotSentAgain(t *testing.T) {
	t.Parallel()
	const inProgress, other = "constraints.order.request.in.progress", "constraints.some.rule"
	hash := orders.Decide(refusedOrder("")).Pending.Hash
	decision := orders.Decide(refusedOrder(hash, inProgress))
	if _, rests := decision.Step.(decide.Rest); !rests || decision.Verdict.State != decide.Stuck {
		t.Errorf("%T: %s", decision.Step, decision.Verdict.Message)
	}
	if refused := orders.Decide(refusedOrder(hash, other)); refused.Pending.Hash == hash {
		t.Errorf("%s still has the hash of what was refused", refused.Verdict.Message)
	}
	after := orders.Decide(refusedOrder(hash, other)).Pending.Hash
	if again := orders.Decide(refusedOrder(after, other, inProgress)).Pending.Hash; again != after {
		t.Errorf("the hash is %s, and was %s before the last refusal", again, after)
	}
}
