// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// retell is how often the words of one refusal may change in a status: a webhook may say something
// else at each try.
const retell = 10 * time.Minute

// failed is the exit of a pass that an error has ended: "A pass that cannot gather, judge or open says
// so on the object" (R18).
func (p *pass) failed(ctx context.Context, err error) (ctrl.Result, error) {
	if verdict := unable(err); verdict != nil {
		p.keepRead()
		err = errors.Join(err, p.tell(ctx, *verdict))
	}
	return p.again(err)
}

// keepRead keeps what was read before a step that has failed: it is not in the status, and would be
// asked for again at each try.
func (p *pass) keepRead() {
	if p.read != nil {
		restore := func(memory *decide.Memory) { memory.Readings = *p.read }
		p.Protocol.Memory.Note(p.subject.GetUID(), p.Protocol.Now(), restore)
	}
}

// unable is what a status says of an error that only a person can help; nil when there is nothing to
// say.
func unable(err error) *decide.Verdict {
	switch {
	case errors.Is(err, operate.ErrLedgerPruned):
		return new(decide.PrunedLedger(err))
	case errors.Is(err, operate.ErrLedgerDamaged):
		return new(decide.DamagedLedger(err))
	}
	return decide.APIRefused(err)
}

// tell writes a verdict into the conditions of the object as it is on record: what this pass has
// made of its status is not to be shown before it is in the ledger.
func (p *pass) tell(ctx context.Context, verdict decide.Verdict) error {
	live, is := p.subject.DeepCopyObject().(Subject)
	if !is {
		return fmt.Errorf("%T has no conditions", p.subject)
	}
	err := p.Protocol.Live.Get(ctx, client.ObjectKeyFromObject(p.subject), live)
	if err != nil || live.GetUID() != p.subject.GetUID() || p.toldAlready(live, verdict) {
		return client.IgnoreNotFound(err)
	}
	before := live.DeepCopyObject()
	now := p.Protocol.Now()
	conditions, observed := live.Describes()
	target := status.Object{Conditions: conditions, Generation: live.GetGeneration()}
	status.Describe(target, verdict, now)
	status.Unjudged(target, verdict, now)
	*observed = live.GetGeneration()
	if equality.Semantic.DeepEqual(before, live) {
		return nil
	}
	if err = p.Protocol.WriteStatus(ctx, live); err != nil {
		return fmt.Errorf("say so in the status: %w", err)
	}
	if held, isSubject := before.(Subject); isSubject {
		p.announce(held, live)
	}
	p.Protocol.Memory.Note(live.GetUID(), now, func(memory *decide.Memory) { memory.RetellAt = now.Add(retell) })
	return nil
}

// toldAlready says whether an object shows the reason of a verdict, and was told lately.
func (p *pass) toldAlready(live Subject, verdict decide.Verdict) (told bool) {
	now := p.Protocol.Now()
	ready := readyIn(live)
	if ready == nil || ready.Reason != verdict.Reason || ready.ObservedGeneration != live.GetGeneration() {
		return false
	}
	p.Protocol.Memory.Note(live.GetUID(), now, func(memory *decide.Memory) { told = now.Before(memory.RetellAt) })
	return told
}
