// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// errSaidElse is a conflict: what was judged is not what the object says now.
var errSaidElse = errors.New("the annotation was changed meanwhile")

// resolve ends or moves an attempt by the facts at hand, a person's word among them.
func (p *pass) resolve(ctx context.Context, step decide.Resolve, handled v1alpha1.Handled) error {
	settled := p.settled(step, handled)
	if step.By == decide.WriterPerson {
		said, err := p.resolution(ctx)
		if err != nil {
			return err
		}
		settled = func(request *v1alpha1.Request) {
			request.ResolvedBy = said
			p.settled(step, handled)(request)
		}
	}
	return p.Protocol.Record(ctx, p.scope(), step.AttemptID, operate.Decided(step, settled))
}

// resolution is the resolve annotation: "Recorded: the word, when, the client that set it" (R27), or
// the user.
func (p *pass) resolution(ctx context.Context) (*v1alpha1.Resolution, error) {
	word := p.subject.GetAnnotations()[v1alpha1.AnnotationResolve]
	live, err := p.asOnRecord(ctx)
	if err != nil {
		return nil, err
	}
	if live.GetUID() != p.speaks().GetUID() || live.GetAnnotations()[v1alpha1.AnnotationResolve] != word {
		group := schema.GroupResource{Group: v1alpha1.GroupVersion.Group}
		return nil, apierrors.NewConflict(group, p.subject.GetName(), errSaidElse) //nolint:wrapcheck // it is made here
	}
	return &v1alpha1.Resolution{
		Word: word, At: v1alpha1.WholeSeconds(p.Protocol.Now()), By: operate.SetBy(live, v1alpha1.AnnotationResolve),
	}, nil
}

// noteWho puts on record who approved a request that is sent, and who asked for it by a retry. Whether
// that still stands is for the gate to see.
func (p *pass) noteWho(ctx context.Context, step *decide.Submit) error {
	if step.Approve == "" && step.Retry == "" {
		return nil
	}
	live, err := p.asOnRecord(ctx)
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
		if word.value != "" && live.GetAnnotations()[word.annotation] == word.value {
			*word.by = operate.SetBy(live, word.annotation)
		}
	}
	return nil
}

// asOnRecord is the object past the cache, which keeps no field managers.
func (p *pass) asOnRecord(ctx context.Context) (client.Object, error) {
	speaker := p.speaks()
	live, is := speaker.DeepCopyObject().(client.Object)
	if !is {
		return nil, fmt.Errorf("%T is not a Kubernetes object", speaker)
	}
	if err := p.Protocol.Live.Get(ctx, client.ObjectKeyFromObject(speaker), live); err != nil {
		return nil, fmt.Errorf("look who has annotated %s: %w", speaker.GetName(), err)
	}
	return live, nil
}

// speaks is the object whose annotations count.
func (p *pass) speaks() Subject {
	if p.speaker != nil {
		return p.speaker
	}
	return p.subject
}
