// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// foreign is a resolution for an attempt that is not recorded.
const foreign = "p0-0=NotAccepted"

// act performs an act of another actor immediately before an effect of a process.
func (r *run) act(p *port, sort Sort, kind Kind) {
	if kind == Forgotten {
		r.forgotten = true
		r.world.Carrier.Forget()
	}
	if _, before := r.since[kind]; !before {
		r.since[kind] = len(r.effects)
	}
	for _, can := range []struct {
		kind Kind
		do   func(context.Context)
	}{
		{Overtaken, func(ctx context.Context) { r.overtake(ctx, p, sort) }},
		{Preempted, func(ctx context.Context) { r.preempt(ctx, p) }},
		{Deleted, r.remove},
		{Recreated, r.replace},
		{Edited, r.changeAnew},
		{Restored, r.restore},
		{MisResolved, r.speakOfAnother},
		{Resolved, func(ctx context.Context) { r.resolve(ctx, unsettled) }},
		{PutBack, r.putBack},
		{Forged, r.forge},
		{Dropped, r.dropLedger},
		{RolledBack, r.rollBackLedger},
		{Emptied, r.emptyLedger},
		{Outdated, r.outdate},
		{ForcedOff, r.forceOff},
		{Suspended, r.suspend},
		{Unlisted, r.unlist},
		{Demanded, r.demand},
		{Replaced, r.replaceAccount},
		{Retried, r.retry},
		{ReadAnew, r.askForReading},
		{Early, func(ctx context.Context) { r.speakEarly(ctx, p) }},
		{Lied, r.lie},
		{Elsewhere, r.changeElsewhere},
		{Trusted, r.trust},
	} {
		if can.kind == kind {
			can.do(r.ctx)
			r.alert()
		}
	}
}

// speakOfAnother sets a resolution for an attempt that does not exist.
func (r *run) speakOfAnother(ctx context.Context) {
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, foreign) })
}

// replace deletes the object as a user would. It is created again once it is gone.
func (r *run) replace(ctx context.Context) {
	if subject := r.subject(); subject != nil {
		request := subject.RequestOf(r.plan.Scenario.Asks)
		if request != nil && r.failed[request.Location] {
			r.licenses++ // "it needs a new generation or the retry annotation": a new object counts as one
		}
	}
	r.recreate = true
	r.remove(ctx)
}

// changeAnew edits the spec as a user would, if the scenario has an edit.
func (r *run) changeAnew(ctx context.Context) {
	if r.plan.Scenario.Edit != nil {
		r.edited = true
		r.edit(ctx, r.plan.Scenario.Edit)
	}
}

// overtake runs one full pass of the other manager.
func (r *run) overtake(ctx context.Context, p *port, sort Sort) {
	r.hurried = sort == Key || sort == Token
	defer func() { r.hurried = false }()
	for _, other := range r.managers {
		if other.port != p && !other.dead && !other.inPass {
			other.pass(ctx)
		}
	}
}

// alert notifies every manager that the object has changed, as a watch would.
func (r *run) alert() {
	for _, manager := range r.managers {
		manager.due, manager.told = now(), manager.inPass
	}
}

// lateness is longer than any call may take, and longer than anyone waits for a running process.
const lateness = 3 * time.Minute

// wait lets the other managers run while a response to a process is delayed or the process is
// stopped. A login runs in its own goroutine beside the pass that needs it, so it only waits. A
// process that overtakes another's login does not delay it: a signed assertion is valid for a
// minute.
func (r *run) wait(p *port, sort Sort) {
	if r.hurried {
		return
	}
	until := now().Add(lateness)
	for sort != Token {
		other := r.next(func(other *process) bool { return other.port == p || other.dead || other.inPass })
		if other == nil || other.next().After(until) {
			break
		}
		sleep(other.next().Sub(now()))
		other.pass(r.ctx)
	}
	sleep(until.Sub(now()))
}

func (r *run) remove(ctx context.Context) {
	if subject := r.subject(); subject != nil {
		r.removed = true
		must(client.IgnoreNotFound(r.store.Client().Delete(ctx, subject)))
	}
}

// edit changes the object as a user would, on its newest version.
func (r *run) edit(ctx context.Context, change func(Subject)) {
	subject := r.subject()
	if subject == nil {
		return
	}
	change(subject)
	must(r.store.Client().Update(ctx, subject))
}

// restore puts the object back as a backup would: with its finalizer, without its status.
func (r *run) restore(ctx context.Context) {
	subject := r.subject()
	if subject == nil {
		return
	}
	wiped := r.plan.Scenario.Empty()
	wiped.SetName(subject.GetName())
	wiped.SetNamespace(subject.GetNamespace())
	wiped.SetUID(subject.GetUID())
	wiped.SetResourceVersion(subject.GetResourceVersion())
	must(r.store.Client().Status().Update(ctx, wiped))
	r.wiped = true
}

func annotate(object client.Object, key, value string) {
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	object.SetAnnotations(annotations)
}

// unknown reports whether an attempt waits for a person.
func unknown(open *v1alpha1.Request) bool { return open.Phase == v1alpha1.PhaseOutcomeUnknown }

// unsettled reports whether a person may resolve an attempt: its outcome is not known yet, although
// the operator may still find it out.
func unsettled(open *v1alpha1.Request) bool {
	return unknown(open) || open.Phase == v1alpha1.PhaseSubmitting && open.Error != nil
}

// resolve looks up an unresolved attempt at the carrier and sets the resolution, as a person would.
// It reports whether there was such an attempt.
func (r *run) resolve(ctx context.Context, may func(*v1alpha1.Request) bool) bool {
	subject := r.subject()
	if subject == nil {
		return false
	}
	for _, open := range subject.OpenRequests() {
		if !may(open) {
			continue
		}
		if r.sentAs(open.AttemptID) == nil && r.busy() {
			continue // for an attempt that stands for a lost status, a person can only tell that the request is over
		}
		word := open.AttemptID + "=" + r.truth(open)
		r.words[open.AttemptID] = true
		r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, word) })
		r.alert()
		return true
	}
	return false
}

// approve approves the plan of changes that is shown, and reports whether an approval was needed.
func (r *run) approve(ctx context.Context) bool {
	subject := r.plain(ctx)
	if subject == nil || pendingOf(subject) == nil {
		return false
	}
	reason, _, _ := stateOf(subject)
	hash := pendingOf(subject).Hash
	if reason != v1alpha1.ReasonAwaitingApproval || subject.GetAnnotations()[v1alpha1.AnnotationApprove] == hash {
		return false
	}
	r.agreed[hash] = true
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationApprove, hash) })
	r.alert()
	return true
}

// busy reports whether the carrier is still processing a request. Queries change nothing.
func (r *run) busy() bool {
	return slices.ContainsFunc(r.sent, func(sent *sending) bool {
		return sent.accepted && sent.class != carrier.ClassQuery && now().Before(sent.at.Add(longestWork))
	})
}

// truth returns the resolution that matches the carrier's records. An attempt that stands for a
// lost status stands for whatever was sent.
func (r *run) truth(open *v1alpha1.Request) string {
	sent := r.sentAs(open.AttemptID)
	switch {
	case sent == nil && r.accepted(r.plan.Scenario.Asks) > 0, open.Repeats > 0 && r.accepted(open.Operation) > 0:
		return "Succeeded" // this attempt or an earlier one
	case sent == nil || !sent.accepted:
		return "NotAccepted"
	case sent.requestID == "", r.forgotten: // there is nothing to poll: the service itself shows that it was done
		return "Succeeded"
	}
	return "Accepted:" + sent.requestID
}

// stateOf returns what the conditions of an object show to a user.
func stateOf(subject Subject) (reason string, ready, stuck bool) {
	conditions, _ := subject.Describes()
	for _, condition := range *conditions {
		holds := condition.Status == metav1.ConditionTrue
		switch condition.Type {
		case v1alpha1.ConditionReady:
			reason, ready = condition.Reason, holds
		case v1alpha1.ConditionStalled:
			stuck = holds
		}
	}
	return reason, ready, stuck
}
