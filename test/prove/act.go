// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// foreign is a person's word on an attempt that is not on record.
const foreign = "p0-0=NotAccepted"

// act has somebody else do something just before an effect of a process.
func (r *run) act(p *process, kind Kind) {
	ctx := r.ctx
	switch kind {
	case Overtaken:
		r.overtake(ctx, p)
	case Deleted, Recreated:
		r.recreate = r.recreate || kind == Recreated
		r.remove(ctx)
	case Edited:
		r.wishAnew(ctx)
	case Restored:
		r.restore(ctx)
	case MisResolved:
		r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, foreign) })
	case nothing, CrashBefore, CrashAfter, Refused, Lost, Conflict, Unavailable, BadGateway, Denied, Throttled,
		Stale, Lagging, Again:
		return
	}
	r.alert()
}

// wishAnew has a user wish for something else, where the kind lets one.
func (r *run) wishAnew(ctx context.Context) {
	if r.plan.Story.Edit != nil {
		r.edited = true
		r.edit(ctx, r.plan.Story.Edit)
	}
}

// overtake has the other manager take a pass, from its start to its end.
func (r *run) overtake(ctx context.Context, p *process) {
	for _, other := range r.managers {
		if other != p && !other.dead && !other.inPass {
			other.pass(ctx)
		}
	}
}

// alert tells every manager that the object has changed, as a watch would.
func (r *run) alert() {
	for _, manager := range r.managers {
		manager.due, manager.told = now(), manager.inPass
	}
}

func (r *run) remove(ctx context.Context) {
	if subject := r.subject(); subject != nil {
		r.removed = true
		must(client.IgnoreNotFound(r.store.Client().Delete(ctx, subject)))
	}
}

// edit changes the object as a user would, who begins again at a conflict.
func (r *run) edit(ctx context.Context, change func(Subject)) {
	subject := r.subject()
	if subject == nil {
		return
	}
	change(subject)
	must(r.store.Client().Update(ctx, subject))
}

// restore puts the object back as a backup holds it: with its finalizer, without its status.
func (r *run) restore(ctx context.Context) {
	subject := r.subject()
	if subject == nil {
		return
	}
	wiped := r.plan.Story.Empty()
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

// resolve has a person ask the carrier what became of the unknown attempt, and say so. It
// says whether there was one.
func (r *run) resolve(ctx context.Context) bool {
	subject := r.subject()
	if subject == nil {
		return false
	}
	for _, open := range subject.OpenRequests() {
		if open.Phase != v1alpha1.PhaseOutcomeUnknown {
			continue
		}
		word := open.AttemptID + "=" + r.truth(open)
		r.words[open.AttemptID] = true
		r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationResolve, word) })
		r.alert()
		return true
	}
	return false
}

// truth is what the carrier's books say of an attempt. One that stands for a lost status
// stands for whatever was sent.
func (r *run) truth(open *v1alpha1.Request) string {
	sent := r.sentAs(open.AttemptID)
	switch {
	case sent == nil && r.accepted(r.plan.Story.Asks) > 0, open.Repeats > 0 && r.accepted(open.Operation) > 0:
		return "Succeeded" // this one or one before it
	case sent == nil || !sent.accepted:
		return "NotAccepted"
	case sent.requestID == "":
		return "Succeeded"
	}
	return "Accepted:" + sent.requestID
}

// standing is how an object is shown to a user.
func standing(subject Subject) (reason string, ready, stuck bool) {
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
