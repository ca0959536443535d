// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// userAction is something that a person does to an object.
type userAction struct {
	name string
	do   func(l *simulation, one *member, subject Subject)
}

// userActions returns what people do. The frequency of each is how often it is listed.
func userActions() []userAction {
	return []userAction{
		{"edits", (*simulation).edit},
		{"edits", (*simulation).edit},
		{"edits", (*simulation).edit},
		{"edits and reverts", (*simulation).editAndRevert},
		{"deletes", func(l *simulation, one *member, _ Subject) { l.remove(one, false) }},
		{"deletes and creates", func(l *simulation, one *member, _ Subject) { l.remove(one, true) }},
		{"restores without status", (*simulation).loseStatus},
		{"suspends or resumes", (*simulation).toggleSuspend},
		{"approves", (*simulation).approve},
		{"approves", (*simulation).approve},
		{"approves", (*simulation).approve},
		{"trusts unknown values", (*simulation).trust},
		{"requests a retry", (*simulation).requestRetry},
		{"requests a reading", (*simulation).requestReading},
		{"resolves another attempt", (*simulation).resolveUnknownAttempt},
		{"resolves", (*simulation).resolveAny},
		{"resolves", (*simulation).resolveAny},
		{"the carrier changes a plan by itself", (*simulation).changePlanAtCarrier},
		{"the carrier changes a cancellation by itself", (*simulation).changeCancellationAtCarrier},
		{"the carrier lets a request fail", (*simulation).failNextRequest},
		{"the carrier has another request in progress", (*simulation).beBusy},
	}
}

// actOnRandom makes a person do something to a random object.
func (l *simulation) actOnRandom() {
	l.nextUserAction = now().Add(l.randomWait(l.rates.actionInterval))
	l.actOn(l.fleet.members[l.random.IntN(len(l.fleet.members))])
}

// actOn makes a person do something to an object, or create it if it does not exist.
func (l *simulation) actOn(one *member) {
	if one.kind == kindAccount {
		return
	}
	subject := l.subject(one)
	if subject == nil {
		l.create(one)
		return
	}
	all := userActions()
	chosen := all[l.random.IntN(len(all))]
	l.countAction("somebody " + chosen.name)
	chosen.do(l, one, subject)
	l.checkWrites("somebody " + chosen.name + " " + one.key.Name)
}

func (l *simulation) create(one *member) {
	l.countAction("somebody creates")
	one.recreate = false
	must(l.world.Create(l.ctx, one.object()))
	l.checkWrites("somebody creates " + one.key.Name)
}

// update updates an object that was read immediately before.
func (l *simulation) update(object client.Object) { must(l.store.Client().Update(l.ctx, object)) }

func (l *simulation) edit(one *member, subject Subject) {
	if len(one.edits) == 0 {
		return
	}
	one.edits[l.random.IntN(len(one.edits))](subject)
	l.update(subject)
}

func (l *simulation) editAndRevert(one *member, subject Subject) {
	before, is := subject.DeepCopyObject().(Subject)
	if len(one.edits) == 0 || !is {
		return
	}
	l.edit(one, subject)
	before.SetResourceVersion(subject.GetResourceVersion())
	l.update(before)
}

// remove deletes an object, which may be created again once it is gone.
func (l *simulation) remove(one *member, again bool) {
	one.recreate = again
	one.removed = true
	subject := l.subject(one)
	l.deleted[string(subject.GetUID())] = true
	must(client.IgnoreNotFound(l.store.Client().Delete(l.ctx, subject)))
}

// loseStatus puts an object back as a backup would: with its finalizer, without its status.
func (l *simulation) loseStatus(one *member, subject Subject) {
	wiped := one.empty()
	wiped.SetName(subject.GetName())
	wiped.SetNamespace(subject.GetNamespace())
	wiped.SetUID(subject.GetUID())
	wiped.SetResourceVersion(subject.GetResourceVersion())
	must(l.store.Client().Status().Update(l.ctx, wiped))
	l.restored[l.store.Version()] = true
}

func (l *simulation) toggleSuspend(_ *member, subject Subject) {
	if service, is := subject.(*v1alpha1.BroadbandService); is {
		service.Spec.Suspend = !service.Spec.Suspend
		l.update(service)
	}
}

// approve has a person approve the plan of changes that is shown.
func (l *simulation) approve(_ *member, subject Subject) {
	l.noteApproval(subject)
	l.annotatePending(subject, v1alpha1.AnnotationApprove)
}

// trust confirms, for the changes that are shown, that the service already has the unknown values.
func (l *simulation) trust(one *member, subject Subject) {
	one.subject.trusted = true
	l.annotatePending(subject, v1alpha1.AnnotationTrust)
}

func (l *simulation) annotatePending(subject Subject, annotation string) {
	if pending := pendingOf(subject); pending != nil {
		l.setAnnotation(subject, annotation, pending.Hash)
	}
}

func (l *simulation) setAnnotation(subject Subject, key, value string) {
	annotate(subject, key, value)
	l.update(subject)
}

// requestRetry sets a retry request: for a recorded attempt, whatever its outcome, or for what has
// failed until now.
func (l *simulation) requestRetry(_ *member, subject Subject) {
	asked := now().Format(time.RFC3339Nano)
	if attempts := newestAttempts(subject); len(attempts) > 0 && l.random.IntN(2) == 0 {
		asked = attempts[l.random.IntN(len(attempts))].AttemptID
	}
	l.setAnnotation(subject, v1alpha1.AnnotationRetry, asked)
}

// newestAttempts returns the recorded attempts: one per operation of a service, or the only one.
func newestAttempts(subject Subject) []v1alpha1.Request {
	if service, is := subject.(*v1alpha1.BroadbandService); is {
		return service.Status.Requests
	}
	for _, operation := range []v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationAppointmentSlots, v1alpha1.OperationAppointmentCancel,
		v1alpha1.OperationDiagnosticTest, v1alpha1.OperationFibreBuildCharge, v1alpha1.OperationPlanOptions,
		v1alpha1.OperationHealth,
	} {
		if request := subject.Record().RequestOf(operation); request != nil {
			return []v1alpha1.Request{*request}
		}
	}
	return nil
}

func (l *simulation) requestReading(_ *member, subject Subject) {
	l.setAnnotation(subject, v1alpha1.AnnotationReconcile, now().Format(time.RFC3339Nano))
}

func (l *simulation) resolveUnknownAttempt(_ *member, subject Subject) {
	l.setAnnotation(subject, v1alpha1.AnnotationResolve, unknownAttempt)
}

// resolveAny resolves an unknown attempt as a person would: one of this object or, if it has none,
// one of the first object that has any.
func (l *simulation) resolveAny(one *member, subject Subject) {
	if l.resolveAttempt(one, subject) {
		return
	}
	for _, other := range l.fleet.members {
		if other.kind == kindAccount {
			continue
		}
		if waits := l.subject(other); waits != nil && l.resolveAttempt(other, waits) {
			return
		}
	}
}

// resolveAttempt resolves an unknown attempt of an object, and reports whether it has resolved one.
// It does nothing while a process works on the object, because the POST may still be sent.
func (l *simulation) resolveAttempt(one *member, subject Subject) bool {
	if l.isInPass(one) {
		return false
	}
	for _, open := range subject.Record().OpenRequests() {
		if open.Phase != v1alpha1.PhaseOutcomeUnknown {
			continue
		}
		l.resolved[open.AttemptID] = true
		l.setAnnotation(subject, v1alpha1.AnnotationResolve, open.AttemptID+"="+l.resolutionFor(one, subject, open))
		return true
	}
	return false
}

// resolutionFor returns a person's resolution of an attempt. If people may be wrong, one in three
// is false.
func (l *simulation) resolutionFor(one *member, subject Subject, open *v1alpha1.Request) string {
	const seldom = 3
	truth := l.trueResolution(one, subject, open)
	if l.faultsOver || !l.rates.falseResolutions || l.random.IntN(seldom) > 0 {
		return truth
	}
	l.countAction("somebody resolves untruthfully")
	l.resolvedFalsely[open.AttemptID], one.subject.trusted = true, true
	if truth == "NotAccepted" {
		return "Succeeded"
	}
	return "NotAccepted"
}

// isInPass reports whether a process works on an object, or on another object with the same
// subject.
func (l *simulation) isInPass(one *member) bool {
	for _, m := range l.managers {
		for _, pass := range m.passes {
			if pass.member.subject == one.subject {
				return true
			}
		}
	}
	return false
}

// trueResolution returns the resolution that matches the carrier's records. An attempt that stands
// for a lost status covers everything that was sent: it is done if the service is as declared.
func (l *simulation) trueResolution(one *member, subject Subject, open *v1alpha1.Request) string {
	sent, done := l.sentAs(open.AttemptID), true
	switch {
	case sent == nil && l.standsForLost(open):
		done = l.isDone(one, subject, open.Operation)
	case sent == nil, !sent.accepted:
		done = open.Repeats > 0 && l.accepted(one, open.Operation) > 0 // an earlier attempt
	case sent.requestID != "" && open.LostSince.IsZero():
		return "Accepted:" + sent.requestID
	case sent.endsInError:
		return "Abandoned"
	}
	if done {
		return "Succeeded"
	}
	return "NotAccepted"
}

// isDone reports what a person finds out about everything that was sent: whether the service is as
// declared or, for any other object, whether the carrier has accepted its request.
func (l *simulation) isDone(one *member, subject Subject, operation v1alpha1.Operation) bool {
	if one.kind == kindService {
		line, _ := l.world.Carrier.Service(one.subject.serviceID)
		return isAsDeclared(subject, line)
	}
	return slices.ContainsFunc(l.sent, func(sent *post) bool {
		own := one.kind != kindTest || sent.uid == subject.GetUID()
		return sent.accepted && sent.operation == operation && l.memberOf[sent].subject == one.subject && own
	})
}

// standsForLost reports whether an attempt was recorded because what was sent is lost. Every other
// attempt is recorded before it is sent.
func (c *simulationRecorder) standsForLost(open *v1alpha1.Request) bool {
	known := c.attempts[open.AttemptID]
	return known == nil || known.Request.Phase != v1alpha1.PhaseSubmitting
}

// changePlanAtCarrier changes a plan at the carrier without the operator.
func (l *simulation) changePlanAtCarrier(one *member, _ Subject) {
	if one.subject.serviceID != 0 {
		one.subject.planSets++
		one.subject.planSetAt = now()
		plan := []string{world.PlanSlow, world.PlanFast, world.PlanCheap}[l.random.IntN(3)]
		must(l.world.Carrier.SetPlan(one.subject.serviceID, plan))
	}
}

// changeCancellationAtCarrier changes a cancellation at the carrier without the operator. A service
// without one keeps none, and one that has ended stays so.
func (l *simulation) changeCancellationAtCarrier(one *member, _ Subject) {
	line, _ := l.world.Carrier.Service(one.subject.serviceID)
	if line.Cancellation == nil || line.Cancellation.Status == "COMPLETED" {
		return
	}
	states := []string{"REQUESTED", "IN_ERROR", "IN_ERROR_RETRY", "IN_PROGRESS", "ABORTED", "REJECTED"}
	days := []string{oldDate, newDate, "2026-10-31"}
	one.subject.endSetAt = now()
	must(l.world.Carrier.SetCancellation(one.subject.serviceID, &simulator.Cancellation{
		Status: states[l.random.IntN(len(states))], RequestDate: days[l.random.IntN(len(days))],
	}))
}

// failNextRequest makes the next request of an operation be refused, fail later or stall.
func (l *simulation) failNextRequest(*member, Subject) {
	operations := []simulator.Operation{
		simulator.OpPlanChange, simulator.OpAggregationConversion, simulator.OpDSLStabilityProfileChange,
		simulator.OpReclaim, simulator.OpFibreBuildCharge, simulator.OpDiagnosticTest, simulator.OpAppointmentSlots,
		simulator.OpCancellationReschedule, simulator.OpCancellationAbort,
	}
	fault := []simulator.Fault{
		{Kind: simulator.FaultEndInError, Body: "it did not work"},
		{Kind: simulator.FaultStall, Body: "it takes longer"},
		{Kind: simulator.FaultBody, Status: 422, Body: refusalBody},
	}[l.random.IntN(3)]
	must(l.world.Carrier.FailNext(fmt.Sprintf("POST %s", operations[l.random.IntN(len(operations))]), fault))
}

// beBusy makes the next request of each operation be refused because another is in progress.
func (l *simulation) beBusy(*member, Subject) {
	for _, operation := range []simulator.Operation{
		simulator.OpPlanChange, simulator.OpAggregationConversion, simulator.OpDSLStabilityProfileChange,
		simulator.OpReclaim, simulator.OpCancellationReschedule, simulator.OpCancellationAbort, simulator.OpOrderCreate,
		simulator.OpFibreBuildCharge, simulator.OpDiagnosticTest, simulator.OpAppointmentSlots,
		simulator.OpAppointmentCancel, simulator.OpHealth, simulator.OpPlanOptions,
	} {
		must(l.world.Carrier.FailNext(fmt.Sprintf("POST %s", operation), simulator.Fault{
			Kind: simulator.FaultBody, Status: http.StatusUnprocessableEntity, Body: busyBody,
		}))
	}
}

// refusalBody is the carrier's body for a refused request.
const refusalBody = `{
	"type": "business.rule", "message": "not now", "errors": [{"code": "constraints.not.now", "message": "not now"}]
}`
