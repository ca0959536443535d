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
	do   func(l *life, one *member, subject Subject)
}

// deeds are what people do, each as often as it stands here.
func deedsOfPeople() []deed {
	return []deed{
		{"edits", (*life).edits},
		{"edits", (*life).edits},
		{"edits", (*life).edits},
		{"edits and takes it back", (*life).flaps},
		{"deletes", func(l *life, one *member, _ Subject) { l.removes(one, false) }},
		{"deletes and creates", func(l *life, one *member, _ Subject) { l.removes(one, true) }},
		{"restores without status", (*life).wipes},
		{"suspends or goes on", (*life).suspends},
		{"approves", (*life).approves},
		{"approves", (*life).approves},
		{"approves", (*life).approves},
		{"has unknown values believed", (*life).trusts},
		{"asks for a retry", (*life).retries},
		{"asks for a reading", (*life).rereads},
		{"resolves another attempt", (*life).misresolves},
		{"resolves", (*life).resolves},
		{"resolves", (*life).resolves},
		{"the carrier changes a plan by itself", (*life).drifts},
		{"the carrier lets a request fail", (*life).dooms},
	}
}

// somebodyActs has a person do something to an object, whichever.
func (l *life) somebodyActs() {
	l.people = now().Add(l.soon(l.climate.acting))
	l.acts(l.fleet.members[l.dice.IntN(len(l.fleet.members))])
}

// acts has a person do something to an object: it creates what is not there.
func (l *life) acts(one *member) {
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

func (l *life) creates(one *member) {
	l.counts("somebody creates")
	one.again = false
	one.about.licenses++
	must(l.world.Create(l.ctx, one.object()))
	l.notice("somebody creates " + one.key.Name)
}

// writes has a person write what he has read just before.
func (l *life) writes(object client.Object) { must(l.store.Client().Update(l.ctx, object)) }

func (l *life) edits(one *member, subject Subject) {
	if len(one.edits) == 0 {
		return
	}
	one.about.licenses++
	one.edits[l.dice.IntN(len(one.edits))](subject)
	l.writes(subject)
}

func (l *life) flaps(one *member, subject Subject) {
	before, is := subject.DeepCopyObject().(Subject)
	if len(one.edits) == 0 || !is {
		return
	}
	l.edits(one, subject)
	before.SetResourceVersion(subject.GetResourceVersion())
	l.writes(before)
}

// removes has a person delete an object, and perhaps create it again once it is gone.
func (l *life) removes(one *member, again bool) {
	one.again = again
	one.removed = true
	subject := l.subject(one)
	l.deleted[string(subject.GetUID())] = true
	must(client.IgnoreNotFound(l.store.Client().Delete(l.ctx, subject)))
}

// wipes puts an object back as a backup holds it: with its finalizer, without its status.
func (l *life) wipes(one *member, subject Subject) {
	wiped := one.empty()
	wiped.SetName(subject.GetName())
	wiped.SetNamespace(subject.GetNamespace())
	wiped.SetUID(subject.GetUID())
	wiped.SetResourceVersion(subject.GetResourceVersion())
	must(l.store.Client().Status().Update(l.ctx, wiped))
	l.restored[l.store.Version()] = true
}

func (l *life) suspends(one *member, subject Subject) {
	if service, is := subject.(*v1alpha1.BroadbandService); is {
		one.about.licenses++ // "a new generation": what the carrier let fail is tried again
		service.Spec.Suspend = !service.Spec.Suspend
		l.writes(service)
	}
}

// approves has a person agree to what is shown.
func (l *life) approves(_ *member, subject Subject) {
	l.answersPending(subject, v1alpha1.AnnotationApprove)
}

// trusts has a person say of what is shown that the service has the unknown values. What is still to
// change is then another request than one that has failed, and so is what is to change once the
// carrier has shown that the person was wrong.
func (l *life) trusts(one *member, subject Subject) {
	one.about.licenses++
	l.answersPending(subject, v1alpha1.AnnotationTrust)
}

func (l *life) answersPending(subject Subject, annotation string) {
	if pending := pendingOf(subject); pending != nil {
		l.annotates(subject, annotation, pending.Hash)
	}
}

func (l *life) annotates(subject Subject, key, value string) {
	annotate(subject, key, value)
	l.writes(subject)
}

// retries has a person ask for one more attempt: at one that is on record, whatever has become of
// it, or at what has failed until now.
func (l *life) retries(one *member, subject Subject) {
	one.about.licenses++
	asked := now().Format(time.RFC3339Nano)
	if attempts := newestAttempts(subject); len(attempts) > 0 && l.dice.IntN(2) == 0 {
		asked = attempts[l.dice.IntN(len(attempts))].AttemptID
	}
	l.annotates(subject, v1alpha1.AnnotationRetry, asked)
}

// newestAttempts are those on record: of each operation of a service, or the only one.
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

func (l *life) rereads(_ *member, subject Subject) {
	l.annotates(subject, v1alpha1.AnnotationReconcile, now().Format(time.RFC3339Nano))
}

func (l *life) misresolves(_ *member, subject Subject) {
	l.annotates(subject, v1alpha1.AnnotationResolve, foreign)
}

// resolves has a person ask the carrier what became of an unknown attempt, and say so: of this object,
// or else of the first that has one.
func (l *life) resolves(one *member, subject Subject) {
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

// answers is resolves, and says whether there was something to say. Nobody says what is not
// over yet: while a process is with the object, its POST may still come.
func (l *life) answers(one *member, subject Subject) bool {
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

// word is what somebody says of an attempt. Where people are wrong now and then, one word in three is.
func (l *life) word(one *member, subject Subject, open *v1alpha1.Request) string {
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

// attended says whether a process is with an object, or was with its service a moment ago.
func (l *life) attended(one *member) bool {
	for _, m := range l.managers {
		for _, pass := range m.passes {
			if pass.member.about == one.about {
				return true
			}
		}
	}
	return false
}

// truth is what the carrier's books say of an attempt. One that stands for a lost status stands
// for whatever was sent: it is done if the service is as declared.
func (l *life) truth(one *member, subject Subject, open *v1alpha1.Request) string {
	sent := l.sentAs(open.AttemptID)
	var done bool
	switch {
	case sent == nil && decide.StandsForLost(open):
		done = l.asDeclared(one, subject)
	case sent == nil, !sent.accepted:
		done = (sent == nil || open.Repeats > 0) && l.taken(one, open.Operation) > 0 // one before it
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

// asDeclared says whether a service is at the carrier as the object wants it.
func (l *life) asDeclared(one *member, subject Subject) bool {
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

// drifts has the carrier change a plan behind everybody's back.
func (l *life) drifts(one *member, _ Subject) {
	if one.about.line != 0 {
		one.about.licenses++
		plan := []string{world.PlanSlow, world.PlanFast, world.PlanCheap}[l.dice.IntN(3)]
		must(l.world.Carrier.SetPlan(one.about.line, plan))
	}
}

// dooms has the next request of an operation be refused, or fail later, or stall.
func (l *life) dooms(*member, Subject) {
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

// refusalBody is how the carrier refuses a request.
const refusalBody = `{
	"type": "business.rule", "message": "not now", "errors": [{"code": "constraints.not.now", "message": "not now"}]
}`
