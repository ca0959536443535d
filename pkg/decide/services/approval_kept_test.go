// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// refusedAfterApproval is a change of plan that a person has approved and that the carrier has
// refused the given number of times. Since then, every pause has ended, and the price was read
// again.
func refusedAfterApproval(t *testing.T, times int, refusal func(*v1alpha1.Request)) services.Input {
	t.Helper()
	price := quoted("45.00", "58.00")
	view := settled(wanting, approval(v1alpha1.ApprovalOnCost), price, approving, reread)
	return refusedSince(t, view, times, refusal, price)
}

// refusedSince returns the same for any approved change, whose price is read again.
func refusedSince(
	t *testing.T, view services.Input, times int, refusal func(*v1alpha1.Request), price func(*services.Input),
) services.Input {
	t.Helper()
	submit, submits := services.Decide(view).Step.(decide.Submit)
	if !submits {
		t.Fatal("what is approved is not sent")
	}
	view.Ledger = &v1alpha1.RequestLedger{}
	for i := range times {
		attempt := submit.Request
		attempt.AttemptID, attempt.Attempt, attempt.UID = "a-"+strconv.Itoa(i+1), int32(i+1), string(view.Service.UID)
		attempt.Phase, attempt.EndedBy = v1alpha1.PhaseRejected, v1alpha1.EndedByCarrier
		attempt.SubmittedAt, attempt.FinishedAt = metav1.NewTime(decidetest.Start()), metav1.NewTime(decidetest.Start())
		refusal(&attempt)
		view.Ledger.Put(attempt)
	}
	view.Service.ShowLedger(view.Ledger)
	view.Service.Status.Handled.Approve = submit.Approve
	at(40 * time.Minute)(&view)
	price(&view)
	justRead(&view)
	view.Memory.Readings.Health.RequestedAt = view.Now
	return view
}

func TestAnApprovalOutlivesARefusalBecauseAnotherRequestIsInProgress(t *testing.T) {
	t.Parallel()
	for _, times := range []int{1, 2, 20} { // the ledger keeps ten
		view := refusedAfterApproval(t, times, anotherInProgress)
		hash := view.Service.RequestOf(v1alpha1.OperationPlanChange).ApprovedHash
		decision := services.Decide(view)
		submit, submits := decision.Step.(decide.Submit)
		if !submits || submit.Request.ApprovedHash != hash || decision.Pending.Hash != hash {
			t.Errorf("after %d refusals: %T %s, hash %s, want it sent under %s", times, decision.Step,
				decision.Verdict.Message, decision.Pending.Hash, hash)
		}
	}
}

func TestAnApprovalEndsWithAnyOtherRefusal(t *testing.T) {
	t.Parallel()
	other := func(r *v1alpha1.Request) {
		r.Error = &v1alpha1.RequestError{HTTPStatus: 422, Code: "constraints.some.rule"}
	}
	view := refusedAfterApproval(t, 1, other)
	old := view.Service.RequestOf(v1alpha1.OperationPlanChange).ApprovedHash
	if decision := services.Decide(view); decision.Pending.Hash == old {
		t.Errorf("%s still has the hash of what was refused", decision.Verdict.Message)
	}
}

func TestTheApprovedPriceIsReadAgainAfterARefusal(t *testing.T) {
	t.Parallel()
	view := refusedAfterApproval(t, 1, anotherInProgress)
	view.Memory.Readings.Options = decide.Reading{}
	if step := decidetest.StepName(services.Decide(view).Step); step != "StartReading plan options" {
		t.Errorf("the price was read 40 minutes ago, and the next step is %s", step)
	}
	view = refusedAfterApproval(t, 1, anotherInProgress)
	quoted("45.00", "59.00")(&view)
	decision := services.Decide(view)
	if decision.Verdict.Reason != v1alpha1.ReasonAwaitingApproval {
		t.Errorf("the price has changed, and it is %s: %s", decision.Verdict.Reason, decision.Verdict.Message)
	}
}

// A hash that a person is about to approve does not change because another change was refused.
func TestARefusalBecauseAnotherRequestIsInProgressKeepsTheHash(t *testing.T) {
	t.Parallel()
	waits := func(edits ...func(*v1alpha1.Request)) services.Input {
		view := settled(wanting, approval(v1alpha1.ApprovalAlways), quoted("58.00", "45.00"))
		view.Ledger = &v1alpha1.RequestLedger{}
		for i, edit := range edits {
			attempt := v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, AttemptID: "a-" + strconv.Itoa(i), Generation: 2,
				Phase: v1alpha1.PhaseRejected, UID: "u-1",
			}
			edit(&attempt)
			view.Ledger.Put(attempt)
		}
		view.Service.ShowLedger(view.Ledger)
		return view
	}
	rejected := func(*v1alpha1.Request) {}
	hash := func(view services.Input) string { return services.Decide(view).Pending.Hash }
	never, once := hash(waits()), hash(waits(rejected))
	if never == once {
		t.Error("a refusal does not change the hash")
	}
	if got := hash(waits(anotherInProgress)); got != never {
		t.Errorf("the hash is %s, and was %s before the refusal", got, never)
	}
	if got := hash(waits(rejected, anotherInProgress)); got != once {
		t.Errorf("the hash is %s, and was %s before the last refusal", got, once)
	}
}

// An approval that is given while another request is in progress is valid once that has ended.
func TestR11AnApprovalDoesNotCoverWhatIsInProgress(t *testing.T) {
	t.Parallel()
	converting := func(in *services.Input) { withMethod(in); policy(v1alpha1.UnknownAsk)(in) }
	toFast := func(r *v1alpha1.Request) {
		r.Plan = []v1alpha1.Change{{Operation: r.Operation, Field: decide.FieldPlan, From: "Slow", To: "Fast"}}
	}
	during := services.Decide(settled(converting, with(v1alpha1.PhaseInProgress, toFast))).Pending
	after := services.Decide(settled(converting, with(v1alpha1.PhaseSucceeded, toFast))).Pending
	if during == nil || after == nil || len(during.Changes) <= len(after.Changes) || during.Hash != after.Hash {
		t.Errorf("it was %+v, and is %+v", during, after)
	}
}

// A plan whose first change is in progress is carried out under its approval, but not by an object
// that took this request over: the approval was given to another one.
func TestR24AnApprovalIsNotTakenOver(t *testing.T) {
	t.Parallel()
	two := func(edits ...func(*services.Input)) *v1alpha1.Pending {
		edits = append([]func(*services.Input){wanting, withMethod, policy(v1alpha1.UnknownAsk)}, edits...)
		return services.Decide(settled(edits...)).Pending
	}
	approved := two()
	for _, taken := range []bool{false, true} {
		pending := two(with(v1alpha1.PhaseInProgress, func(r *v1alpha1.Request) {
			r.ApprovedHash, r.Plan, r.TakenOver = approved.Hash, approved.Changes, taken
		}))
		if kept := pending.Hash == approved.Hash; kept == taken {
			t.Errorf("taken over: %t, and the approval is valid: %t", taken, kept)
		}
	}
}

// One approval covers a conversion and a plan. The plan is refused at first, and the conversion comes
// before it. Then the carrier moves the service to a dearer plan, and going back needs no approval.
// What was done under the approval must not be done under it once more.
func TestAnApprovalThatWasCarriedOutNeverFitsAgain(t *testing.T) {
	t.Parallel()
	change := func(in *services.Input) {
		in.Service.Spec.AggregationMethod = "ETHERNET"
		in.Service.Status.Carrier.AggregationMethod = &v1alpha1.KnownValue{Value: "L2TP", Source: v1alpha1.SourceOrder}
	}
	wants := []func(*services.Input){wanting, approval(v1alpha1.ApprovalOnCost), quoted("45.00", "58.00"), change}
	approved := *services.Decide(settled(wants...)).Pending
	attempt := func(operation v1alpha1.Operation, after time.Duration, hash string) func(*services.Input) {
		return with(v1alpha1.PhaseSucceeded, func(r *v1alpha1.Request) {
			r.Operation, r.AttemptID, r.UID = operation, "a-"+after.String(), "u-1"
			r.SubmittedAt = metav1.NewTime(decidetest.Start().Add(after))
			r.ApprovedHash, r.Plan = hash, approved.Changes
		})
	}
	converted := attempt(v1alpha1.OperationAggregationConversion, time.Minute, approved.Hash)
	for name, test := range map[string]struct {
		plan func(*services.Input)
		fits bool
	}{
		"the plan is still to come":           {func(*services.Input) {}, true},
		"it was changed before the approval":  {attempt(v1alpha1.OperationPlanChange, 0, "p-earlier"), true},
		"it was changed under the approval":   {attempt(v1alpha1.OperationPlanChange, time.Hour, approved.Hash), false},
		"it was changed since, without one":   {attempt(v1alpha1.OperationPlanChange, time.Hour, ""), false},
		"it was changed since, under another": {attempt(v1alpha1.OperationPlanChange, time.Hour, "p-later"), false},
	} {
		view := settled(slices.Concat(wants, []func(*services.Input){
			converted, test.plan, annotated(v1alpha1.AnnotationApprove, approved.Hash),
		})...)
		view.Service.Status.Carrier.AggregationMethod.Value = "ETHERNET"
		pending := services.Decide(view).Pending
		if fits := pending != nil && pending.Hash == approved.Hash; fits != test.fits {
			t.Errorf("%s: the approval fits: %t", name, fits)
		}
	}
}
