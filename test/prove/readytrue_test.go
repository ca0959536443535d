// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// records are the carrier's data that an object may declare or show.
type records struct {
	carrier *simulator.Simulator
	sent    []*post // everything that was sent for the object's subject, by any object

	healthPrefix string // in front of the name of each plan in health
	trusted      bool   // somebody may have trusted a value that the carrier does not have

	// excused reports whether a difference of a value is known to be nobody's mistake.
	excused func(what string) bool
	// resolvedFalsely reports whether a person has given a false resolution of an attempt.
	resolvedFalsely func(attempt string) bool
}

func readyIsTrue(w *recorder) string { return w.wronglyReady }

// falselyReady describes what is wrong about an object that is Ready; "" for nothing.
func (w *recorder) falselyReady(subject Subject, unread bool) string {
	return falselyReady(subject, &records{
		carrier: w.run.world.Carrier, sent: w.sent, healthPrefix: w.run.plan.Scenario.HealthPrefix,
		trusted:         w.mayTrust(),
		excused:         func(what string) bool { return unread && (what == namePlan || what == nameCancellation) },
		resolvedFalsely: func(attempt string) bool { return w.resolvedFalsely[attempt] },
	})
}

// mayTrust reports whether a value that the carrier does not have may be trusted: a person has
// said so, or somebody else has changed the plan, so that health may prove a request.
func (w *recorder) mayTrust() bool {
	return w.hasHappened(Trusted) || w.hasHappened(ChangedElsewhere) || w.run.plan.Scenario.Trusts ||
		len(w.resolvedFalsely) > 0
}

// falselyReady checks invariant 33, ReadyIsTrue: if Ready is True for the current generation, the
// carrier has what the object declares, except for what its message says is only trusted or not
// known. It returns a description of the violation, or "".
func falselyReady(subject Subject, by *records) string {
	ready := readyNow(subject)
	if ready == nil {
		return ""
	}
	why := by.missing(subject, ready)
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s is Ready (%s: %s), and %s", subject.GetName(), ready.Reason, ready.Message, why)
}

// readyNow returns the condition Ready if it is True for the current generation, or nil.
func readyNow(subject Subject) *metav1.Condition {
	conditions, _ := subject.Describes()
	ready := meta.FindStatusCondition(*conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != subject.GetGeneration() ||
		!subject.GetDeletionTimestamp().IsZero() {
		return nil
	}
	return ready
}

// missing describes what a Ready object declares or shows but the carrier does not have; "" for
// nothing.
func (r *records) missing(subject Subject, ready *metav1.Condition) string {
	switch object := subject.(type) {
	case *v1alpha1.BroadbandService:
		return falselyInSync(object, ready, r)
	case *v1alpha1.ServiceOrder:
		return falselyOrdered(object, r)
	case *v1alpha1.AppointmentRequest:
		return falselyOffered(object, r)
	case *v1alpha1.DiagnosticTest:
		return r.unfinished(object, v1alpha1.OperationDiagnosticTest, object.Status.Request)
	case *v1alpha1.FibreBuildQuote:
		return r.unfinished(object, v1alpha1.OperationFibreBuildCharge, object.Status.Request)
	case *v1alpha1.PlanOptionsQuery:
		return r.unfinished(object, v1alpha1.OperationPlanOptions, object.Status.Request)
	case *v1alpha1.HealthCheck:
		return falselyChecked(object, r)
	}
	return ""
}

// claim is what a service declares of a value, and what the carrier has.
type claim struct{ what, declared, held string }

// falselyInSync describes a declared value that the carrier does not have.
func falselyInSync(service *v1alpha1.BroadbandService, ready *metav1.Condition, by *records) string {
	if ready.Reason == v1alpha1.ReasonObserving {
		return "" // nothing is compared
	}
	line, _ := by.carrier.Service(service.ServiceNumber().Number())
	if ready.Reason == v1alpha1.ReasonCancelled && line.Cancellation != nil && line.Cancellation.Status == "COMPLETED" {
		return "" // "nothing else is compared"
	}
	for _, one := range differingClaims(service, &line) {
		if !by.isQuoted(ready.Message, &one) && !by.isUnconfirmed(ready.Message, one.what) && !by.excused(one.what) {
			return fmt.Sprintf("the %s is %q at the carrier, not %q", one.what, one.held, one.declared)
		}
	}
	return ""
}

// differingClaims returns the declared values that the carrier does not have.
func differingClaims(service *v1alpha1.BroadbandService, line *simulator.Service) []claim {
	return slices.DeleteFunc(append(endingClaims(service, line), valueClaims(service, line)...), func(one claim) bool {
		return sameWords(one.declared, one.held)
	})
}

// isAsDeclared reports whether the carrier's service is as an object declares it.
func isAsDeclared(subject Subject, line simulator.Service) bool {
	service, is := subject.(*v1alpha1.BroadbandService)
	return is && len(differingClaims(service, &line)) == 0
}

// The values of a service, as the message of Ready names them.
const (
	namePlan         = "plan"
	nameTerm         = "term"
	nameSLA          = "restoration SLA"
	nameAggregation  = "aggregation method"
	nameProfile      = "DSL stability profile"
	nameCancellation = "cancellation"
)

// valueClaims returns the declared values that a modification could change.
func valueClaims(service *v1alpha1.BroadbandService, line *simulator.Service) []claim {
	spec := service.Spec
	claims := []claim{
		{nameSLA, spec.RestorationSLA, line.RestorationSLA},
		{nameAggregation, spec.AggregationMethod, line.AggregationMethod},
		{nameProfile, spec.DSLStabilityProfile, line.DSLStabilityProfile},
	}
	if spec.Plan != nil {
		claims = append(claims, claim{namePlan, spec.Plan.Name, line.Plan},
			claim{nameTerm, strconv.Itoa(int(spec.Plan.Term)), strconv.FormatInt(line.Term, 10)})
	}
	return slices.DeleteFunc(claims, func(one claim) bool { return one.declared == "" })
}

// endingClaims returns what is declared of the cancellation and the disconnection. Disconnection
// Report declares nothing: it only reports.
func endingClaims(service *v1alpha1.BroadbandService, line *simulator.Service) []claim {
	var claims []claim
	status, pending := cancellationOf(line)
	reclaims := service.Spec.Disconnection == v1alpha1.DisconnectionReclaim
	if declared := service.Spec.Cancellation; declared != nil {
		if declared.Mode == v1alpha1.CancellationNever && reclaims && pending != "" {
			pending = "" // it is reclaimed once it has been carried out
		}
		claims = append(claims, claim{nameCancellation, string(declared.Date), pending})
	}
	if reclaims && status == "COMPLETED" {
		claims = append(claims, claim{"connection", "connected", "cancelled"})
	}
	return claims
}

// cancellationOf returns the status of a service's cancellation, and the day on which the service
// ends or has ended; "" if it does not.
func cancellationOf(line *simulator.Service) (status, day string) {
	held := line.Cancellation
	switch {
	case held == nil:
		return "", ""
	case held.Status == "ABORTED", held.Status == "REJECTED":
		return held.Status, ""
	}
	return held.Status, held.RequestDate
}

// sameWords reports whether two values differ only in case or spaces.
func sameWords(one, other string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(one), " "), strings.Join(strings.Fields(other), " "))
}

// isUnconfirmed reports whether the message of Ready says that a value is not known, or that it is
// trusted, if somebody may have trusted it.
func (r *records) isUnconfirmed(message, what string) bool {
	return slices.ContainsFunc(strings.Split(message, "; "), func(clause string) bool {
		trusted, isTrusted := strings.CutSuffix(clause, " trusted as declared, but never confirmed by the carrier")
		unknown, isUnknown := strings.CutSuffix(clause, " not known, because the carrier's API cannot report this")
		return r.trusted && isTrusted && strings.Contains(trusted, what) || isUnknown && strings.Contains(unknown, what)
	})
}

// isQuoted reports whether the message of Ready quotes the plan that the carrier has, as health shows
// it: the operator cannot distinguish it from another spelling of the declared plan.
func (r *records) isQuoted(message string, one *claim) bool {
	quoted := fmt.Sprintf("(health shows it as %q)", r.healthPrefix+one.held)
	return one.what == namePlan && strings.Contains(message, quoted)
}

// falselyOrdered describes an order that the carrier has not accepted, or has accepted differently.
func falselyOrdered(order *v1alpha1.ServiceOrder, by *records) string {
	request := order.Status.Request
	if request != nil && by.resolvedFalsely(request.AttemptID) {
		return ""
	}
	asDeclared := func(one *post) bool {
		number := order.Status.OrderID
		return one.operation == v1alpha1.OperationOrderCreate && one.accepted &&
			(number == "" || string(number) == one.requestID) &&
			one.target.Plan == order.Spec.PlanName && one.target.Term == order.Spec.Term
	}
	if !slices.ContainsFunc(by.sent, asDeclared) {
		return fmt.Sprintf("the carrier has accepted no order %s for plan %s", order.Status.OrderID, order.Spec.PlanName)
	}
	return ""
}

// falselyOffered describes slots that are not those of the declared days, or that the carrier no
// longer has.
func falselyOffered(appointment *v1alpha1.AppointmentRequest, by *records) string {
	status, spec := appointment.Status, appointment.Spec
	id := string(status.AppointmentRequestID)
	queried := slices.IndexFunc(by.sent, func(one *post) bool {
		return one.operation == v1alpha1.OperationAppointmentSlots && one.accepted && one.requestID == id
	})
	if queried < 0 {
		return fmt.Sprintf("the carrier has no appointment-request %q", id)
	}
	if !bytes.Contains(by.sent[queried].body, []byte(spec.DateFrom)) {
		return fmt.Sprintf("appointment-request %s was %s, which is not from %s", id, by.sent[queried].body, spec.DateFrom)
	}
	for _, slot := range status.Slots {
		if !strings.HasPrefix(slot.SlotID, "APT-"+id+"-") {
			return fmt.Sprintf("slot %s is not of appointment-request %s", slot.SlotID, id)
		}
	}
	cancelled := func(one *post) bool {
		return one.operation == v1alpha1.OperationAppointmentCancel && one.accepted && bytes.Contains(one.body, []byte(id))
	}
	if slices.ContainsFunc(by.sent, cancelled) {
		return fmt.Sprintf("appointment-request %s is cancelled", id)
	}
	return ""
}

// falselyChecked describes a check that shows another service.
func falselyChecked(check *v1alpha1.HealthCheck, by *records) string {
	line, _ := by.carrier.Service(check.Spec.ServiceID.Number())
	if want := line.WholesaleServiceID; check.Status.WholesaleServiceID != want {
		return fmt.Sprintf("it shows service %s, not %s", check.Status.WholesaleServiceID, want)
	}
	return by.unfinished(check, v1alpha1.OperationHealth, check.Status.Request)
}

// unfinished describes a request of an object that the carrier has not accepted, or that fails; ""
// if the request is done.
func (r *records) unfinished(object Subject, operation v1alpha1.Operation, shown *v1alpha1.Request) string {
	if shown != nil && r.resolvedFalsely(shown.AttemptID) {
		return ""
	}
	done := func(one *post) bool {
		isShown := shown == nil || shown.Location == "" || path.Base(shown.Location) == one.requestID
		return one.operation == operation && one.uid == object.GetUID() && one.accepted && !one.endsInError && isShown
	}
	if !slices.ContainsFunc(r.sent, done) {
		return "the carrier has carried out no request of it"
	}
	return ""
}
