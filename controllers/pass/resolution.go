// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/installation"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// errAnnotationChanged is a conflict: the annotation is not the one that the decision was based on.
var errAnnotationChanged = errors.New("the annotation was changed meanwhile")

// resolve ends an attempt or changes its phase, by known facts or a person's resolution.
func (p *Pass) resolve(ctx context.Context, step decide.Resolve, handled v1alpha1.Handled) error {
	settled := p.settled(step, handled)
	if step.By == decide.WriterPerson {
		if void, err := p.voidResolution(ctx); void || err != nil {
			return err
		}
		resolution, err := p.resolution(ctx)
		if err != nil {
			return err
		}
		settled = func(request *v1alpha1.Request) {
			request.ResolvedBy = resolution
			p.settled(step, handled)(request)
		}
	}
	return p.Protocol.Record(ctx, p.Scope(), step.AttemptID, operate.Decided(step, settled))
}

// voidResolution records that the resolve annotation has no effect, now or later, if the policy that
// decides who may set it is not the one that the decision was based on: anybody who may edit the
// object may have set it. It reports whether it did so.
func (p *Pass) voidResolution(ctx context.Context) (bool, error) {
	err := p.Policies.VerifyLive(ctx, p.Here.Policies)
	if !errors.Is(err, installation.ErrPoliciesMissing) && !errors.Is(err, installation.ErrPolicyReplaced) {
		return false, err
	}
	p.Subject.Record().Controls().IgnoredResolve = decide.Control(p.Subject, v1alpha1.AnnotationResolve)
	if err := p.Protocol.WriteStatus(ctx, p.Subject); err != nil {
		return false, fmt.Errorf("record that the annotation resolve has no effect: %w", err)
	}
	return true, nil
}

// resolution returns the value of the resolve annotation, the current time, and who set the
// annotation, the user if known. All three are recorded with what it resolves (R27).
func (p *Pass) resolution(ctx context.Context) (*v1alpha1.Resolution, error) {
	word := decide.Control(p.Subject, v1alpha1.AnnotationResolve)
	live, err := p.readAnnotated(ctx)
	if err != nil {
		return nil, err
	}
	if live.GetUID() != p.annotatedObject().GetUID() || decide.Control(live, v1alpha1.AnnotationResolve) != word {
		return nil, apiserver.Conflict("", p.Subject.GetName(), errAnnotationChanged)
	}
	return &v1alpha1.Resolution{
		Word: word, At: v1alpha1.WholeSeconds(p.Protocol.Now()), By: p.Protocol.SetBy(live, v1alpha1.AnnotationResolve),
	}, nil
}

// noteAuthors records who approved the request, and who requested it with the retry annotation. The
// gate checks whether the approval is still valid.
func (p *Pass) noteAuthors(ctx context.Context, step *decide.Submit) error {
	if step.Approve == "" && step.Retry == "" {
		return nil
	}
	live, err := p.readAnnotated(ctx)
	if err != nil {
		return err
	}
	for _, word := range []struct {
		annotation, value string
		by                *string
	}{
		{v1alpha1.AnnotationApprove, step.Approve, &step.Request.ApprovedBy},
		{v1alpha1.AnnotationRetry, step.Retry, &step.Request.RetriedBy},
	} {
		if word.value != "" && decide.Control(live, word.annotation) == word.value {
			*word.by = p.Protocol.SetBy(live, word.annotation)
		}
	}
	return nil
}

// readAnnotated reads the object, bypassing the cache, which keeps no field managers.
func (p *Pass) readAnnotated(ctx context.Context) (client.Object, error) {
	annotated := p.annotatedObject()
	live := apiserver.Empty(annotated)
	if err := p.Protocol.Live.Get(ctx, client.ObjectKeyFromObject(annotated), live); err != nil {
		return nil, fmt.Errorf("read the annotations of %s: %w", annotated.GetName(), err)
	}
	return live, nil
}

// annotatedObject returns the object whose annotations count.
func (p *Pass) annotatedObject() Subject {
	if p.Annotated != nil {
		return p.Annotated
	}
	return p.Subject
}
