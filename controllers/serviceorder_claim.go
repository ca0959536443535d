// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// claimant is a kind that claims what it sends, and keeps what became of it there. What
// it sends is not followed: the answer to its POST is all there is.
type claimant interface {
	claimFor(ctx context.Context, request v1alpha1.Request) error
	keep(ctx context.Context, request v1alpha1.Request) error
}

// mostSays bounds how often a claim is taken up in one pass: the holder, the status, and
// the claim that was behind.
const mostSays = 4

// gatherClaim takes up what is on record of the customerReference, until status and claim
// say the same. An order that is with the carrier has nothing to learn.
func (p *orderPass) gatherClaim(ctx context.Context) error {
	request := p.order.Status.Request
	if p.account.Object == nil || request != nil && request.Phase == v1alpha1.PhaseSucceeded {
		return nil
	}
	for range mostSays {
		say, err := p.lookUp(ctx)
		if err != nil {
			return err
		}
		p.verdict = say.Verdict
		if say.Verdict != nil || say.Adopt == nil && say.Write == nil {
			return nil
		}
		if err := p.heed(ctx, say); err != nil {
			return err
		}
	}
	return fmt.Errorf("the claim of ServiceOrder %s does not come to rest", p.order.Name)
}

// lookUp reads the claim, and says what it means.
func (p *orderPass) lookUp(ctx context.Context) (say decide.ClaimSay, err error) {
	reference := p.order.Spec.CustomerReference
	if p.claim, err = p.of.Claims.Get(ctx, p.account.Object.IdentityName(), reference); err != nil {
		return say, err
	}
	view := decide.ClaimView{OrderView: p.orderView(p.view())}
	if p.claim != nil {
		view.Claim = &p.claim.Claim
		view.Posted = p.Protocol.Memory.Posted(p.claim.Request.AttemptID)
		if p.claim.UID != string(p.order.UID) {
			if view.Lives, err = p.of.Claims.HolderLives(ctx, p.claim); err != nil {
				return say, err
			}
		}
	}
	return decide.ClaimSays(view), nil
}

// heed does what a claim says: the holder first, then the status, then the finalizer.
func (p *orderPass) heed(ctx context.Context, say decide.ClaimSay) error {
	if say.Write != nil {
		return p.keep(ctx, *say.Write)
	}
	if say.Take {
		taken := p.claim.Claim
		taken.Namespace, taken.Name, taken.UID = p.order.Namespace, p.order.Name, string(p.order.UID)
		taken.ResourceVersion = "" // nothing was ever claimed under one of this object's
		if err := p.of.Claims.Put(ctx, p.claim, taken); err != nil {
			return err
		}
	}
	return p.adopt(ctx, *say.Adopt)
}

// adopt puts an attempt that the claim knows into the status.
func (p *orderPass) adopt(ctx context.Context, request v1alpha1.Request) error {
	var known v1alpha1.ServiceOrderStatus
	if p.claim != nil {
		known = p.claim.Known
	}
	if request.AttemptID == "" {
		request.AttemptID = p.Protocol.NewID() // stands for whatever was sent: for resolve to name
	}
	decide.AdoptOrder(p.order, request, known, metav1.NewTime(p.Protocol.Now()))
	p.describe(p.decide())
	if err := p.Status().Update(ctx, p.order); err != nil {
		return fmt.Errorf("adopt what is known of the order: %w", err)
	}
	p.noteWritten()
	return nil
}

// claimFor is step 2: what is sent is claimed first. The claim that was judged is
// replaced and no other.
func (p *orderPass) claimFor(ctx context.Context, request v1alpha1.Request) error {
	return p.of.Claims.Put(ctx, p.claim, p.claimed(request))
}

// keep writes what became of an attempt into its claim.
func (p *orderPass) keep(ctx context.Context, request v1alpha1.Request) error {
	return p.of.Claims.Record(ctx, p.claimed(request))
}

func (p *orderPass) claimed(request v1alpha1.Request) decide.Claim {
	return decide.Claim{
		Identity: request.Identity, CustomerReference: p.order.Spec.CustomerReference, BaseURL: request.BaseURL,
		Namespace: p.order.Namespace, Name: p.order.Name, UID: string(p.order.UID),
		ResourceVersion: p.order.ResourceVersion, Request: request, Known: decide.OrderKnown(&p.order.Status),
	}
}

// gatherQualification reads the qualification's result, as long as the order is to be
// held against it. The ConfigMap is the user's, and read past the cache: nothing lists
// the ConfigMaps of a cluster.
func (p *orderPass) gatherQualification(ctx context.Context) error {
	ref, request := p.order.Spec.QualificationResultRef, p.order.Status.Request
	if ref == nil || request != nil && !decide.Freed(request.Phase) {
		return nil
	}
	var result corev1.ConfigMap
	err := p.Protocol.Live.Get(ctx, client.ObjectKey{Namespace: p.order.Namespace, Name: ref.Name}, &result)
	switch {
	case apierrors.IsNotFound(err):
		p.qualificationErr = fmt.Errorf(
			"ConfigMap %s does not exist in this namespace: create it, it is read again in a minute", ref.Name)
		return nil
	case err != nil:
		return fmt.Errorf("read ConfigMap %s: %w", ref.Name, err)
	}
	text := result.BinaryData[ref.Key]
	if held, found := result.Data[ref.Key]; found {
		text = []byte(held)
	}
	if len(text) == 0 {
		p.qualificationErr = fmt.Errorf("ConfigMap %s has no key %s, or it is empty: add it, it is read again in a minute",
			ref.Name, ref.Key)
		return nil
	}
	qualification, err := carrier.DecodeQualification(text)
	if err != nil {
		p.qualificationErr = fmt.Errorf("key %s of ConfigMap %s is no qualification result (%w): correct it, "+
			"it is read again in a minute", ref.Key, ref.Name, err)
		return nil
	}
	p.qualification = &qualification
	return nil
}

var _ claimant = (*orderPass)(nil)
