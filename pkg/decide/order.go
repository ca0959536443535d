// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// OrderInput is the complete input of a decision about one order.
type OrderInput struct {
	Input

	Order            *v1alpha1.ServiceOrder // the subject
	Qualification    *carrier.Qualification // the result that qualificationResultRef names; nil if none was read
	QualificationErr error                  // why it could not be read; nil if it could, or if none is declared
}

// QualificationPause is the wait before a qualification result is read again that could not be read
// or does not allow the order. ConfigMaps are read, not watched.
const QualificationPause = time.Minute

// ServiceOrder decides about one order. Its status has been updated from its ledger before: see
// [JudgeOrderLedger] and [ProjectOrder].
func ServiceOrder(in OrderInput) Decision {
	decision := firstStep([]func() *Decision{
		func() *Decision { return answeredRequest(&in.Input) },
		func() *Decision { return resolvedByPerson(&in.Input) },
		func() *Decision { return rejectionResolved(&in) },
		func() *Decision { return orderDiffers(&in) },
		func() *Decision { return orderEnded(&in) },
		func() *Decision { return accountReady(&in.Input) },
		func() *Decision { return sentElsewhere(&in.Input) },
		func() *Decision { return untilEnded(&in.Input, openOf(&in.Input), orderEvidence{&in.Input}) },
		func() *Decision { return heldBack(&in.Input, orderRequest(&in)) },
		func() *Decision { return orderPossible(&in) },
		func() *Decision { return orderApproved(&in) },
		func() *Decision { return sendOrder(&in) },
	})
	return orderDescribed(&in, decision)
}

// orderDescribed adds what a status contains besides the verdict.
func orderDescribed(in *OrderInput, decision Decision) Decision {
	if request := orderRequest(in); request == nil || Freed(request.Phase) {
		decision.Pending = orderPending(in)
	}
	decision.Aspects = orderAspects(in, decision.Verdict)
	decision.withControls(&in.Input)
	if in.Order.Status.Rejection != nil && resolveAnnotation(&in.Input) == "" {
		decision.Handled.Resolve = "" // a resolution from before the rejection may be repeated
	}
	decision.Handled.Reconcile = control(in.Subject, v1alpha1.AnnotationReconcile) // each pass reads and compares all
	return decision
}

func orderRequest(in *OrderInput) *v1alpha1.Request {
	return in.Order.RequestOf(v1alpha1.OperationOrderCreate)
}

// Freed reports whether an attempt in this phase allows its order to be changed and sent: "NotSent,
// NotProcessed, Rejected and NotAccepted".
func Freed(phase v1alpha1.RequestPhase) bool {
	switch phase {
	case v1alpha1.PhaseNotSent, v1alpha1.PhaseNotProcessed, v1alpha1.PhaseRejected, v1alpha1.PhaseNotAccepted:
		return true
	case v1alpha1.PhaseSubmitting, v1alpha1.PhaseInProgress, v1alpha1.PhaseSucceeded, v1alpha1.PhaseFailed,
		v1alpha1.PhaseOutcomeUnknown, v1alpha1.PhaseAbandoned, v1alpha1.PhaseRepeated,
		v1alpha1.PhaseLateAcceptance:
	}
	return false
}

// orderEnded returns a decision about an order that the carrier has accepted, or that will never be
// sent again. The account is not needed then: "the documented API has no read of an order".
func orderEnded(in *OrderInput) *Decision {
	request := orderRequest(in)
	switch {
	case request == nil || !request.Phase.Ended() || Freed(request.Phase):
		return nil
	case request.Phase != v1alpha1.PhaseSucceeded:
		return stuck(v1alpha1.ReasonCarrierRejected, fmt.Sprintf(
			"attempt %s was given up: customerReference %q is used up. To order, create another ServiceOrder "+
				"with another customerReference", request.AttemptID, in.Order.Spec.CustomerReference))
	case in.Order.Status.Rejection != nil:
		return &Decision{Step: Rest{}, Verdict: orderRejected(in, request)}
	}
	return &Decision{Step: Rest{}, Verdict: Verdict{Settled, v1alpha1.ReasonSubmitted, orderTaken(in.Order, request)}}
}

func orderTaken(order *v1alpha1.ServiceOrder, request *v1alpha1.Request) string {
	if order.Status.OrderID == "" {
		return "the carrier took the order, by the word of a person; its number is not known"
	}
	words := fmt.Sprintf("the carrier took the order: it is order %s there", order.Status.OrderID)
	if request.Warning != "" {
		words += "; " + request.Warning
	}
	return words
}

func orderRejected(in *OrderInput, request *v1alpha1.Request) Verdict {
	rejection, again := in.Order.Status.Rejection, ""
	if word, _ := parseResolution(in.Order.Status.Handled.Resolve); word.attemptID == request.AttemptID {
		again = fmt.Sprintf(" (what was said of it before is used up: take that annotation away first, by '%s-')",
			v1alpha1.AnnotationResolve)
	}
	return Verdict{Stuck, v1alpha1.ReasonOrderRejected, fmt.Sprintf(
		"the carrier rejected order %s after it had taken it%s: %s. To order again under this customerReference, "+
			"make sure at the carrier that the order is dead, then kubectl -n %s annotate --overwrite %s %s "+
			"'%s=%s=NotAccepted'%s",
		in.Order.Status.OrderID, unsigned(rejection), orElse(rejection.Reason, "no reason is known"), in.Order.Namespace,
		v1alpha1.ShortName(in.Subject), in.Order.Name, v1alpha1.AnnotationResolve, request.AttemptID, again)}
}

// rejectionResolved: "An OrderRejected event changes neither; NotAccepted is allowed then" (R3).
func rejectionResolved(in *OrderInput) *Decision {
	request := orderRequest(in)
	if request == nil || request.Phase != v1alpha1.PhaseSucceeded || in.Order.Status.Rejection == nil {
		return nil
	}
	word, _ := parseResolution(resolveAnnotation(&in.Input))
	if !resolutionNames(&in.Input, request.AttemptID) || word.outcome != resolvedNotAccepted {
		return nil
	}
	return resolveBy(WriterPerson, request, v1alpha1.PhaseNotAccepted,
		because("rejected by the carrier, and resolved as not accepted"))
}

// orderEvidence cannot determine the outcome of an order: an order cannot be read, and a second
// POST proves nothing. A person has to decide.
type orderEvidence struct{ *Input }

func (orderEvidence) verify(open *v1alpha1.Request) *Decision {
	return resolveTo(open, v1alpha1.PhaseOutcomeUnknown, whyUnknown(open))
}

// proof: an attempt of this process that it never posted was never sent.
func (o orderEvidence) proof(open *v1alpha1.Request) *Decision {
	if open.Sender == o.Memory.Sender && !o.Memory.Attempts[open.AttemptID].Posted {
		return resolveBy(WriterSender, open, v1alpha1.PhaseNotSent, because("the intent is recorded, and nothing was sent"))
	}
	return stuck(unknownReason(open.Error), notKnown(o.Input, open, open.Error)+
		". It is not sent again before you have asked the carrier for an order with this reference, and said what it "+
		"answers: "+resolveHint(o.Input, open))
}

// orderPossible checks an order against the qualification that it is based on.
func orderPossible(in *OrderInput) *Decision {
	if in.QualificationErr != nil {
		return lookAgain(stuck(v1alpha1.ReasonOrderNotPossible, in.QualificationErr.Error()), in.Now.Add(QualificationPause))
	}
	if in.Qualification == nil {
		return nil
	}
	why := OrderRefusals(&in.Order.Spec, in.Qualification)
	if len(why) == 0 {
		return nil
	}
	return lookAgain(stuck(v1alpha1.ReasonOrderNotPossible, refusalWords(why)), in.Now.Add(QualificationPause))
}

// orderApproved waits until a person approves the order and its price.
func orderApproved(in *OrderInput) *Decision {
	plan := orderPlan(in)
	if plan == nil {
		return nil
	}
	ask := byPolicy(policyOf(&in.Input, in.Order.Spec.Approval))
	ask.priced, ask.fees = false, feeWords(PreviewFees(in))
	return agreed(&in.Input, ask, plan)
}

// sendOrder sends the order and uses up the approval that it needed.
func sendOrder(in *OrderInput) *Decision {
	decision := sendTask(&in.Input, orderTask(in))
	submit, submits := decision.Step.(Submit)
	if !submits {
		return decision
	}
	submit.Request.Retry = cmp.Or(submit.Retry, in.Order.Status.Handled.Retry) // the status is written after the ledger
	decision.Step = submit
	return decision.approvedBy(&in.Input, orderPlan(in))
}

// orderPlan returns the plan that a person has to approve; nil if no approval is needed. OnCost
// needs one for every order: "a new service always has a monthly fee".
func orderPlan(in *OrderInput) *v1alpha1.Pending {
	if policyOf(&in.Input, in.Order.Spec.Approval) == v1alpha1.ApprovalAutomatic {
		return nil
	}
	return orderPending(in)
}

func orderTask(in *OrderInput) Task {
	spec, remoteOrderID := &in.Order.Spec, remoteOrderIDOf(in)
	task := Task{
		Operation: v1alpha1.OperationOrderCreate,
		Target: v1alpha1.RequestTarget{
			Plan: spec.PlanName, Term: spec.Term,
			RestorationSLA: spec.RestorationSLA, AggregationMethod: spec.AggregationMethod,
			RemoteOrderID: remoteOrderID,
		},
		Body: OrderBody(spec, remoteOrderID, v1alpha1.Contact{}), Contact: ContactSource{Inline: spec.Contact},
	}
	if spec.ContactSecretRef != nil {
		task.Contact.Secret = spec.ContactSecretRef.Name
	}
	return task
}

// remoteOrderIDOf returns the orderId of the qualification, either declared or from its result.
func remoteOrderIDOf(in *OrderInput) string {
	if in.Order.Spec.RemoteOrderID != "" || in.Qualification == nil {
		return in.Order.Spec.RemoteOrderID
	}
	return bounded(in.Qualification.OrderID, maxNameText)
}

// OrderBody returns the body of an order, with the orderId of its qualification.
func OrderBody(spec *v1alpha1.ServiceOrderSpec, remoteOrderID string, to v1alpha1.Contact) []byte {
	request := carrier.OrderRequest{
		PlanName: spec.PlanName, Term: int(spec.Term), TrafficClass: spec.TrafficClass,
		RemoteQualificationSearchID: spec.Qualification.RemoteQualificationSearchID,
		QualificationSearchID:       spec.Qualification.QualificationSearchID,
		LocationID:                  string(spec.Qualification.LocationID),
		RemoteOrderID:               remoteOrderID, ProductType: spec.ProductType, RestorationSLA: spec.RestorationSLA,
		ContactName: to.Name, ContactPhone: to.Phone, ContactEmail: to.Email,
		NTDInstallation: carrier.NTDInstallation(spec.NTDInstallation), CustomerReference: spec.CustomerReference,
		AggregationMethod: carrier.AggregationMethod(spec.AggregationMethod),
	}
	if infrastructure := spec.Infrastructure; infrastructure != nil {
		request.InfrastructureID, request.PortID = infrastructure.ID, infrastructure.PortID
	}
	if vlan := spec.VLAN; vlan != nil {
		request.RequireVLAN, request.VLANID = &vlan.Required, vlan.ID
	}
	if transfer := spec.Transfer; transfer != nil {
		request.AVCIDForTransfer, request.TransferType = transfer.AVCID, carrier.TransferType(transfer.Type)
	}
	return request.Body()
}

// orderChanges returns the rows of an order's plan: the order, and what is ordered for which site.
func orderChanges(in *OrderInput) []v1alpha1.Change {
	spec := &in.Order.Spec
	row := func(field, to string) v1alpha1.Change {
		return v1alpha1.Change{Operation: v1alpha1.OperationOrderCreate, Field: field, To: to}
	}
	rows := []v1alpha1.Change{
		row("order", spec.CustomerReference), row("scenario", string(spec.Scenario)),
		row("site", string(spec.Qualification.LocationID)), row("planName", spec.PlanName), row("speed", orderSpeed(in)),
		row("term", strconv.Itoa(int(spec.Term))), row("restorationSLA", spec.RestorationSLA),
		row("aggregationMethod", spec.AggregationMethod), row("ntdInstallation", spec.NTDInstallation),
	}
	return slices.DeleteFunc(rows, func(row v1alpha1.Change) bool { return row.To == "" })
}

// orderSpeed returns the speeds of the ordered plan; "" if the qualification does not show them.
func orderSpeed(in *OrderInput) string {
	if in.Qualification == nil {
		return ""
	}
	plan := caseOf(&in.Order.Spec, in.Qualification).plan()
	if plan == nil || plan.SpeedDown.Speed == "" || plan.SpeedUp.Speed == "" {
		return ""
	}
	return bounded(speedWords(plan.SpeedDown)+" down, "+speedWords(plan.SpeedUp)+" up", maxNameText)
}

// speedWords formats a speed with its unit, which defaults to MBit/s.
func speedWords(speed carrier.Speed) string {
	speed.Unit = orElse(speed.Unit, "MBit/s")
	return speed.String()
}

// orderPending returns the plan of what is sent, with its hash.
func orderPending(in *OrderInput) *v1alpha1.Pending {
	last := ""
	if request := in.Ledger.ReachedLast(v1alpha1.OperationOrderCreate); request != nil {
		last = request.AttemptID
	}
	body := OrderBody(&in.Order.Spec, remoteOrderIDOf(in), v1alpha1.Contact{})
	return planned(&in.Input, last, body, orderChanges(in), PreviewFees(in))
}

// orderAspects returns the conditions Submitted, Rejected and ApprovalRequired.
func orderAspects(in *OrderInput, verdict Verdict) []Aspect {
	request := orderRequest(in)
	submitted := Aspect{v1alpha1.ConditionSubmitted, metav1.ConditionFalse, verdict.Reason, verdict.Message}
	var aspects []Aspect
	switch {
	case request != nil && request.Phase == v1alpha1.PhaseSucceeded:
		submitted.Status, submitted.Reason = metav1.ConditionTrue, v1alpha1.ReasonSubmitted
		submitted.Message = orderTaken(in.Order, request)
		if in.Order.Status.Rejection != nil {
			aspects = append(aspects, orderRejected(in, request).holds(v1alpha1.ConditionRejected))
		}
	case request != nil && !request.Phase.Ended():
		submitted.Status = metav1.ConditionUnknown
		if rejection := in.Order.Status.Rejection; rejection != nil {
			said := Verdict{Stuck, v1alpha1.ReasonOrderRejected, NoticeWords(rejection)}
			aspects = append(aspects, said.holds(v1alpha1.ConditionRejected))
		}
	}
	if verdict.Reason == v1alpha1.ReasonAwaitingApproval {
		aspects = append(aspects, verdict.holds(v1alpha1.ConditionApprovalRequired))
	}
	return append(aspects, submitted)
}
