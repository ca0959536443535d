// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// deed is something that a person does to an object.
type deed struct {
	name string
	do   func(l *simulation, one *member, subject Subject)
}

// deedsOfPeople returns what people do. The frequency of each is how often it is listed.
func deedsOfPeople() []deed {
	return []deed{
		{"edits", (*simulation).edits},
		{"edits", (*simulation).edits},
		{"edits", (*simulation).edits},
		{"edits and takes it back", (*simulation).flaps},
		{"deletes", func(l *simulation, one *member, _ Subject) { l.removes(one, false) }},
		{"deletes and creates", func(l *simulation, one *member, _ Subject) { l.removes(one, true) }},
		{"restores without status", (*simulation).wipes},
		{"suspends or goes on", (*simulation).suspends},
		{"approves", (*simulation).approves},
		{"approves", (*simulation).approves},
		{"approves", (*simulation).approves},
		{"has unknown values believed", (*simulation).trusts},
		{"asks for a retry", (*simulation).retries},
		{"asks for a reading", (*simulation).rereads},
		{"resolves another attempt", (*simulation).misresolves},
		{"resolves", (*simulation).resolves},
		{"resolves", (*simulation).resolves},
		{"the carrier changes a plan by itself", (*simulation).drifts},
		{"the carrier lets a request fail", (*simulation).dooms},
	}
}

// somebodyActs makes a person do something to a random object.
func (l *simulation) somebodyActs() {
	l.people = now().Add(l.soon(l.climate.acting))
	l.acts(l.fleet.members[l.dice.IntN(len(l.fleet.members))])
}

// acts makes a person do something to an object, or create it if it does not exist.
func (l *simulation) acts(one *member) {
	if one.kind == kindAccount {
		return
	}
	subject := l.subject(one)
	if subject == nil {
		l.creates(one)
		return
	}
	all := deedsOfPeople()
	chosen := all[l.dice.IntN(len(all))]
	l.counts("somebody " + chosen.name)
	chosen.do(l, one, subject)
	l.notice("somebody " + chosen.name + " " + one.key.Name)
}

func (l *simulation) creates(one *member) {
	l.counts("somebody creates")
	one.again = false
	one.about.licenses++
	must(l.world.Create(l.ctx, one.object()))
	l.notice("somebody creates " + one.key.Name)
}

// writes updates an object that was read immediately before.
func (l *simulation) writes(object client.Object) { must(l.store.Client().Update(l.ctx, object)) }

func (l *simulation) edits(one *member, subject Subject) {
	if len(one.edits) == 0 {
		return
	}
	one.about.licenses++
	one.edits[l.dice.IntN(len(one.edits))](subject)
	l.writes(subject)
}

func (l *simulation) flaps(one *member, subject Subject) {
	before, is := subject.DeepCopyObject().(Subject)
	if len(one.edits) == 0 || !is {
		return
	}
	l.edits(one, subject)
	before.SetResourceVersion(subject.GetResourceVersion())
	l.writes(before)
}

// removes deletes an object, which may be created again once it is gone.
func (l *simulation) removes(one *member, again bool) {
	one.again = again
	one.removed = true
	subject := l.subject(one)
	l.deleted[string(subject.GetUID())] = true
	must(client.IgnoreNotFound(l.store.Client().Delete(l.ctx, subject)))
}

// wipes puts an object back as a backup would: with its finalizer, without its status.
func (l *simulation) wipes(one *member, subject Subject) {
	wiped := one.empty()
	wiped.SetName(subject.GetName())
	wiped.SetNamespace(subject.GetNamespace())
	wiped.SetUID(subject.GetUID())
	wiped.SetResourceVersion(subject.GetResourceVersion())
	must(l.store.Client().Status().Update(l.ctx, wiped))
	l.restored[l.store.Version()] = true
}

func (l *simulation) suspends(one *member, subject Subject) {
	if service, is := subject.(*v1alpha1.BroadbandService); is {
		one.about.licenses++ // "a new generation": what failed at the carrier is tried again
		service.Spec.Suspend = !service.Spec.Suspend
		l.writes(service)
	}
}

// approves has a person approve the plan of changes that is shown.
func (l *simulation) approves(_ *member, subject Subject) {
	l.answersPending(subject, v1alpha1.AnnotationApprove)
}

// trusts confirms, for the changes that are shown, that the service already has the unknown values.
// The remaining change is then another request than one that has failed. The same is true of the
// changes that follow once a reading shows that the person was wrong.
func (l *simulation) trusts(one *member, subject Subject) {
	one.about.licenses++
	l.answersPending(subject, v1alpha1.AnnotationTrust)
}

func (l *simulation) answersPending(subject Subject, annotation string) {
	if pending := pendingOf(subject); pending != nil {
		l.annotates(subject, annotation, pending.Hash)
	}
}

func (l *simulation) annotates(subject Subject, key, value string) {
	annotate(subject, key, value)
	l.writes(subject)
}

// retries sets a retry request: for a recorded attempt, whatever its outcome, or for what has
// failed until now.
func (l *simulation) retries(one *member, subject Subject) {
	one.about.licenses++
	asked := now().Format(time.RFC3339Nano)
	if attempts := newestAttempts(subject); len(attempts) > 0 && l.dice.IntN(2) == 0 {
		asked = attempts[l.dice.IntN(len(attempts))].AttemptID
	}
	l.annotates(subject, v1alpha1.AnnotationRetry, asked)
}

// newestAttempts returns the recorded attempts: one per operation of a service, or the only one.
func newestAttempts(subject Subject) []v1alpha1.Request {
	if service, is := subject.(*v1alpha1.BroadbandService); is {
		return service.Status.Requests
	}
	for _, operation := range []v1alpha1.Operation{
		v1alpha1.OperationOrderCreate, v1alpha1.OperationAppointmentSlots, v1alpha1.OperationAppointmentCancel,
		v1alpha1.OperationDiagnosticTest, v1alpha1.OperationFibreBuildCharge, v1alpha1.OperationPlanOptions,
	} {
		if request := subject.RequestOf(operation); request != nil {
			return []v1alpha1.Request{*request}
		}
	}
	return nil
}

func (l *simulation) rereads(_ *member, subject Subject) {
	l.annotates(subject, v1alpha1.AnnotationReconcile, now().Format(time.RFC3339Nano))
}

func (l *simulation) misresolves(_ *member, subject Subject) {
	l.annotates(subject, v1alpha1.AnnotationResolve, foreign)
}

// resolves looks up an unknown attempt at the carrier and sets the resolution: an attempt of this
// object, or else of the first object that has one.
func (l *simulation) resolves(one *member, subject Subject) {
	if l.answers(one, subject) {
		return
	}
	for _, other := range l.fleet.members {
		if other.kind == kindAccount {
			continue
		}
		if waits := l.subject(other); waits != nil && l.answers(other, waits) {
			return
		}
	}
}

// answers does the work of resolves, and reports whether there was an attempt to resolve. It waits
// until no process works on the object: its POST may still be sent.
func (l *simulation) answers(one *member, subject Subject) bool {
	if l.attended(one) {
		return false
	}
	for _, open := range subject.OpenRequests() {
		if open.Phase != v1alpha1.PhaseOutcomeUnknown {
			continue
		}
		l.words[open.AttemptID] = true
		one.about.licenses++
		l.annotates(subject, v1alpha1.AnnotationResolve, open.AttemptID+"="+l.word(one, subject, open))
		return true
	}
	return false
}

// word returns a person's resolution of an attempt. If people may be wrong, one in three is false.
func (l *simulation) word(one *member, subject Subject, open *v1alpha1.Request) string {
	const seldom = 3
	truth := l.truth(one, subject, open)
	if l.peace || !l.climate.wrong || l.dice.IntN(seldom) > 0 {
		return truth
	}
	l.counts("somebody is wrong")
	l.lies[open.AttemptID] = true
	if truth == "NotAccepted" {
		return "Succeeded"
	}
	return "NotAccepted"
}

// attended reports whether a process works on an object, or just worked on its service.
func (l *simulation) attended(one *member) bool {
	for _, m := range l.managers {
		for _, pass := range m.passes {
			if pass.member.about == one.about {
				return true
			}
		}
	}
	return false
}

// truth returns the resolution that matches the carrier's records. An attempt that stands for a
// lost status stands for whatever was sent: it is done if the service is as declared.
func (l *simulation) truth(one *member, subject Subject, open *v1alpha1.Request) string {
	sent := l.sentAs(open.AttemptID)
	var done bool
	switch {
	case sent == nil && decide.StandsForLost(open):
		done = l.asDeclared(one, subject)
	case sent == nil, !sent.accepted:
		done = (sent == nil || open.Repeats > 0) && l.taken(one, open.Operation) > 0 // an earlier attempt
	case sent.requestID != "" && open.LostSince.IsZero():
		return "Accepted:" + sent.requestID
	default:
		done = true
	}
	if done {
		return "Succeeded"
	}
	return "NotAccepted"
}

// asDeclared reports whether a service at the carrier is as the object declares it.
func (l *simulation) asDeclared(one *member, subject Subject) bool {
	s, isService := subject.(*v1alpha1.BroadbandService)
	if !isService {
		return false
	}
	line, _ := l.world.Carrier.Service(one.about.line)
	is := func(wanted, held string) bool { return wanted == "" || wanted == held }
	plan := s.Spec.Plan == nil || s.Spec.Plan.Name == line.Plan && int64(s.Spec.Plan.Term) == line.Term
	return plan && is(s.Spec.RestorationSLA, line.RestorationSLA) &&
		is(s.Spec.AggregationMethod, line.AggregationMethod) && is(s.Spec.DSLStabilityProfile, line.DSLStabilityProfile)
}

// drifts changes a plan at the carrier without the operator.
func (l *simulation) drifts(one *member, _ Subject) {
	if one.about.line != 0 {
		one.about.licenses++
		plan := []string{world.PlanSlow, world.PlanFast, world.PlanCheap}[l.dice.IntN(3)]
		must(l.world.Carrier.SetPlan(one.about.line, plan))
	}
}

// dooms makes the next request of an operation be refused, fail later or stall.
func (l *simulation) dooms(*member, Subject) {
	operations := []simulator.Operation{
		simulator.OpPlanChange, simulator.OpAggregationConversion, simulator.OpDSLStabilityProfileChange,
		simulator.OpReclaim, simulator.OpFibreBuildCharge, simulator.OpDiagnosticTest, simulator.OpAppointmentSlots,
	}
	fault := []simulator.Fault{
		{Kind: simulator.FaultEndInError, Body: "it did not work"},
		{Kind: simulator.FaultStall, Body: "it takes longer"},
		{Kind: simulator.FaultBody, Status: 422, Body: refusalBody},
	}[l.dice.IntN(3)]
	must(l.world.Carrier.FailNext(fmt.Sprintf("POST %s", operations[l.dice.IntN(len(operations))]), fault))
}

// refusalBody is the carrier's body for a refused request.
const refusalBody = `{
	"type": "business.rule", "message": "not now", "errors": [{"code": "constraints.not.now", "message": "not now"}]
}`
