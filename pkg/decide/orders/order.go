// SPDX-License-Identifier: Apache-2.0

// Package orders decides about a ServiceOrder: whether its qualification allows it, what it costs,
// and whether it may be sent. An order is sent again only if the last attempt is known not to have
// been accepted.
package orders

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Decide decides about one order. The order's status must already have been updated from its
// ledger: see [JudgeLedger] and [Project].
func Decide(in Input) decide.Decision {
	return withShown(&in, *decide.First(&in, orderRules()))
}

// orderRules lists the rules of an order, in their order. The last one always decides.
func orderRules() []decide.Rule[*Input] {
	common := decide.Common[*Input]
	return []decide.Rule[*Input]{
		common(decide.ResponseIsUnrecorded), // a response held in memory is recorded before anything else
		common(decide.ResolvedByPerson),     // a person's resolution ends an unknown outcome
		rejectionIsConfirmed,                // a person has confirmed that the carrier rejected the accepted order
		differsFromSent,                     // the object was edited while its order was being sent
		orderHasEnded,                       // an order that is accepted, or final, is at most read
		common(decide.AccountIsNotReady),    // no call is possible without a login
		common(decide.SentElsewhere),        // a request in progress stays with the login that sent it
		requestIsOpen,                       // a request at the carrier is tracked until it ends
		orderHasFailed,                      // an order that the carrier has refused waits for a correction or a retry
		fieldsNeedExtension,                 // some fields need an extension
		orderIsNotPossible,                  // the qualification allows the order
		approvalIsMissing,                   // a person approves it, if the policy asks for that
		send,                                // the order is sent, if what applies to every kind allows it
	}
}

func requestIsOpen(in *Input) *decide.Decision {
	return decide.UntilEnded(&in.Input, decide.OpenRequest(&in.Input), evidence{decide.TaskEvidence{Input: &in.Input}})
}

func orderHasFailed(in *Input) *decide.Decision { return decide.HeldBack(&in.Input, requestOf(in)) }

// withShown adds what a status contains besides the verdict.
func withShown(in *Input, decision decide.Decision) decide.Decision {
	if request := requestOf(in); request == nil || decide.MayOrderAgain(request.Phase) {
		decision.Pending = pendingOf(in)
	}
	decision.Aspects = aspectsOf(in, decision.Verdict)
	decision.WithControls(&in.Input)
	if in.Order.Status.Rejection != nil && decide.ResolveAnnotation(&in.Input) == "" {
		decision.Handled.Resolve = "" // a resolution from before the rejection may be repeated
	}
	// Each pass reads and compares everything, so each one serves a reconcile annotation.
	decision.Handled.Reconcile = decide.Control(in.Subject, v1alpha1.AnnotationReconcile)
	return decision
}

// orderHasEnded returns a decision about an order that the carrier has accepted, or that will never
// be sent again. The account is only needed to read the order, where the carrier has the extension
// OrderRead: the specification has no such call.
func orderHasEnded(in *Input) *decide.Decision {
	request := requestOf(in)
	switch {
	case request == nil || !request.Phase.Ended() || decide.MayOrderAgain(request.Phase):
		return nil
	case request.Phase != v1alpha1.PhaseSucceeded:
		return decide.RestStuck(v1alpha1.ReasonAbandoned, fmt.Sprintf(
			"attempt %s was abandoned: customerReference %q cannot be used again. To order, create another ServiceOrder "+
				"with a different customerReference", request.AttemptID, in.Order.Spec.CustomerReference))
	case in.Order.Status.Rejection != nil:
		return followed(in, decide.RestOn(rejected(in, request)))
	case decide.ResultDiffers(request) && !isConfirmed(in, request):
		return followed(in, decide.RestStuck(v1alpha1.ReasonResultDiffers, acceptedText(in, request)+
			". Ask the carrier. If the order is right as the carrier shows it, run: "+
			decide.ResolveCommand(&in.Input, request, decide.ResolvedSucceeded)))
	}
	return followed(in, decide.RestSettled(v1alpha1.ReasonSubmitted, acceptedText(in, request)))
}

func acceptedText(in *Input, request *v1alpha1.Request) string {
	order := in.Order
	if order.Status.OrderID == "" {
		return "a person has resolved the order as succeeded; its number is not known"
	}
	words := fmt.Sprintf("the carrier accepted the order as order %s", order.Status.OrderID)
	if in.Account.Object != nil && in.Account.Object.Extends(v1alpha1.ExtensionOrderRead) && order.Status.ServiceID != "" {
		words += ", which has become service " + string(order.Status.ServiceID)
	}
	if decide.ResultDiffers(request) {
		words += ", but " + request.Error.Message
	}
	return decide.JoinTexts(words, request.Warning)
}

func rejected(in *Input, request *v1alpha1.Request) decide.Verdict {
	rejection, again := in.Order.Status.Rejection, ""
	number := "order " + string(in.Order.Status.OrderID)
	if in.Order.Status.OrderID == "" { // a person has resolved the order without its number
		number = v1alpha1.CarrierName(in.Order)
	}
	if decide.HasNamed(&in.Input, request.AttemptID) {
		again = fmt.Sprintf(" (the annotation has been used for this attempt before: remove it first, with '%s-')",
			v1alpha1.AnnotationResolve)
	}
	return decide.Stuck.Verdict(v1alpha1.ReasonOrderRejected, fmt.Sprintf(
		"the carrier rejected %s after accepting it%s: %s. To order again with this customerReference, "+
			"confirm with the carrier that the order was closed, then run: %s. If the carrier confirms that the order "+
			"is not rejected, set the annotation to %s=%s instead%s",
		number, decide.UnsignedNote(rejection), decide.ReasonGiven(rejection),
		decide.ResolveCommand(&in.Input, request, decide.ResolvedNotAccepted),
		request.AttemptID, decide.ResolvedSucceeded, again))
}

// rejectionIsConfirmed lets a person resolve an accepted order as NotAccepted, once the carrier has
// said that it has rejected the order. The rejection alone changes nothing (R3).
func rejectionIsConfirmed(in *Input) *decide.Decision {
	request := requestOf(in)
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded || in.Order.Status.Rejection == nil {
		return nil
	}
	resolved, _ := decide.ParseResolution(decide.ResolveAnnotation(&in.Input))
	if !decide.ResolutionNames(&in.Input, request.AttemptID) || resolved.Outcome != decide.ResolvedNotAccepted {
		return nil
	}
	return decide.ResolveBy(decide.WriterPerson, request, v1alpha1.PhaseNotAccepted,
		decide.Because("rejected by the carrier and resolved as not accepted"))
}

// evidence leaves the outcome of an order to a person, because an order cannot be read without its
// number and a second POST proves nothing.
type evidence struct{ decide.TaskEvidence }

// Proof resolves an attempt of this process that was never posted as not sent. An attempt that
// stands for a lost ledger proves nothing, because it also stands for the attempts that came
// after it (R5).
func (o evidence) Proof(open *v1alpha1.Request) *decide.Decision {
	if !decide.IsLostWithItsLedger(open) && open.Sender == o.Memory.Sender && !o.Memory.Attempts[open.AttemptID].Posted {
		return decide.NotPosted(open)
	}
	return decide.RestStuck(decide.UnknownReason(open.Error), decide.DescribeUnknown(o.Input, open, open.Error)+
		". The order is not sent again until you have asked the carrier whether it has an order with this reference, "+
		"and resolved the request: "+decide.ResolveHint(o.Input, open))
}

func orderIsNotPossible(in *Input) *decide.Decision {
	if in.QualificationErr != nil {
		return notPossible(in, in.QualificationErr.Error())
	}
	if in.Qualification == nil && in.Order.Spec.QualificationResultRef != nil { // read by the next pass
		return decide.RequeueAt(decide.RestWorking(v1alpha1.ReasonProgressing,
			"the qualification result is about to be read"), in.Now.Add(decide.CacheLag))
	}
	if in.Qualification == nil {
		return nil
	}
	why := Refusals(&in.Order.Spec, in.Qualification)
	if len(why) == 0 {
		return nil
	}
	return notPossible(in, decide.Bounded(
		"the qualification does not allow this order: "+strings.Join(why, "; "), decide.MaxMessage))
}

func notPossible(in *Input, why string) *decide.Decision {
	return decide.RequeueAt(decide.RestStuck(v1alpha1.ReasonOrderNotPossible, why), in.Now.Add(qualificationPause))
}

func approvalIsMissing(in *Input) *decide.Decision {
	plan := planToApprove(in)
	if plan == nil {
		return nil
	}
	ask := decide.RequiredByPolicy(decide.ApprovalPolicy(&in.Input, in.Order.Spec.Approval))
	ask.Priced, ask.Fees = false, feeText(PreviewFees(in))
	waits := decide.AwaitApproval(&in.Input, ask, plan)
	if waits == nil {
		return nil
	}
	return cmp.Or(decide.AwaitContact(&in.Input, contactOf(&in.Order.Spec)), waits)
}

// send sends the order and uses up the approval that it needed.
func send(in *Input) *decide.Decision {
	decision := decide.SendTask(&in.Input, requestOfOrder(in))
	submit, submits := decision.Step.(decide.Submit)
	if !submits {
		return decision
	}
	submit.Request.Retry = cmp.Or(submit.Retry, in.Order.Status.Handled.Retry) // the status is written after the ledger
	decision.Step = submit
	return decision.ApprovedBy(&in.Input, planToApprove(in))
}

// planToApprove returns the plan that a person has to approve; nil if no approval is needed.
// Under OnCost every order needs one, because a new service always has a monthly fee.
func planToApprove(in *Input) *v1alpha1.Pending {
	if decide.ApprovalPolicy(&in.Input, in.Order.Spec.Approval) == v1alpha1.ApprovalAutomatic {
		return nil
	}
	return pendingOf(in)
}

func requestOfOrder(in *Input) decide.Task {
	spec, remoteOrderID := &in.Order.Spec, remoteOrderIDOf(in)
	return decide.Task{
		Operation: v1alpha1.OperationOrderCreate,
		Target: v1alpha1.RequestTarget{
			Plan: spec.PlanName, Term: spec.Term,
			RestorationSLA: spec.RestorationSLA, AggregationMethod: spec.AggregationMethod,
			RemoteOrderID: remoteOrderID,
		},
		Body: Body(spec, remoteOrderID, v1alpha1.Contact{}), Contact: contactOf(spec),
		Changes: withFeeRows(changesOf(in), PreviewFees(in)),
	}
}

// changesOf returns the rows of an order's plan: the order, and what it orders for which site.
func changesOf(in *Input) []v1alpha1.Change {
	return Rows(&in.Order.Spec, remoteOrderIDOf(in), speedOf(in))
}

// speedOf returns the speeds of the ordered plan; "" if the qualification does not show them.
func speedOf(in *Input) string {
	if in.Qualification == nil {
		return ""
	}
	plan := caseOf(&in.Order.Spec, in.Qualification).plan()
	if plan == nil || plan.SpeedDown.Speed == "" || plan.SpeedUp.Speed == "" {
		return ""
	}
	return decide.Bounded(speedText(plan.SpeedDown)+" down, "+speedText(plan.SpeedUp)+" up", decide.MaxNameText)
}

func speedText(speed carrier.Speed) string {
	speed.Unit = cmp.Or(speed.Unit, "MBit/s")
	return speed.String()
}

func pendingOf(in *Input) *v1alpha1.Pending {
	last := decide.AttemptInHash(&in.Input, v1alpha1.OperationOrderCreate)
	body := Body(&in.Order.Spec, remoteOrderIDOf(in), v1alpha1.Contact{})
	return decide.NewPending(&in.Input, last, body, changesOf(in), PreviewFees(in))
}

func aspectsOf(in *Input, verdict decide.Verdict) []decide.Aspect {
	request := requestOf(in)
	submitted := verdict.Aspect(v1alpha1.ConditionSubmitted)
	submitted.Status = metav1.ConditionFalse
	var aspects []decide.Aspect
	switch {
	case request != nil && request.Phase == v1alpha1.PhaseSucceeded:
		submitted.Set(metav1.ConditionTrue, v1alpha1.ReasonSubmitted, acceptedText(in, request))
		if in.Order.Status.Rejection != nil {
			aspects = append(aspects, rejected(in, request).Aspect(v1alpha1.ConditionRejected))
		}
	case request != nil && !request.Phase.Ended():
		submitted.Status = metav1.ConditionUnknown
		if rejection := in.Order.Status.Rejection; rejection != nil {
			aspects = append(aspects, decide.NewAspect(v1alpha1.ConditionRejected, metav1.ConditionTrue,
				v1alpha1.ReasonOrderRejected, decide.NoticeText(rejection)))
		}
	}
	if verdict.Reason == v1alpha1.ReasonAwaitingApproval {
		aspects = append(aspects, verdict.Aspect(v1alpha1.ConditionApprovalRequired))
	}
	return append(aspects, submitted)
}
