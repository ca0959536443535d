// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Kind has the functions by which a pass handles an object of one kind. Those that are marked as
// optional may be nil.
type Kind struct {
	// Gather collects the inputs of the decision that do not change within the pass.
	Gather func(context.Context, *Pass) error
	// Judge decides what to do.
	Judge func(*Pass, decide.Input) decide.Decision
	// Show updates the status except for the conditions. Optional.
	Show func(*Pass, decide.Decision)
	// Read takes a step that reads at the carrier, and that only this kind has. Optional.
	Read func(context.Context, *Pass, decide.Step) (time.Duration, error)
	// Body returns the body of a request.
	Body func(v1alpha1.Request, v1alpha1.Contact) []byte

	// Finish takes over the carrier's result of a request. Optional.
	Finish func(*Pass, *v1alpha1.Request, []byte)
	// Reached takes over the effect of a request that has succeeded by a resolution, without a result.
	// Optional.
	Reached func(request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time)
	// Withdrawn takes back what Reached has taken over. Optional.
	Withdrawn func(request *v1alpha1.Request, now time.Time)
	// Refused takes over that the carrier has refused a request. Optional.
	Refused func(*v1alpha1.Request)

	// Begun is called before the first step of a pass, but not if only a notification is recorded.
	// Optional.
	Begun func(*Pass)
	// Recorded is called when the status is recorded. Optional.
	Recorded func(*Pass)

	AddsFinalizer bool // whether the object gets the finalizer before it sends, even with a ledger
	Synchronous   bool // whether a POST returns the result, so that nothing is polled
}

func (p *Pass) show(decision decide.Decision) {
	if p.kind.Show != nil {
		p.kind.Show(p, decision)
	}
}

func (p *Pass) performRead(ctx context.Context, step decide.Step) (time.Duration, error) {
	if p.kind.Read == nil {
		return 0, nil
	}
	return p.kind.Read(ctx, p, step)
}

func (p *Pass) finish(request *v1alpha1.Request, body []byte) {
	if p.kind.Finish != nil {
		p.kind.Finish(p, request, body)
	}
}

func (k *Kind) reached(request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time) {
	if k.Reached != nil {
		k.Reached(request, source, now)
	}
}

func (k *Kind) withdrawn(request *v1alpha1.Request, now time.Time) {
	if k.Withdrawn != nil {
		k.Withdrawn(request, now)
	}
}
