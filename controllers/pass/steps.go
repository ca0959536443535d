// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/installation"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// submit sends a request. It reads the contact first, so that a missing Secret causes neither an
// intent nor an unknown outcome.
func (p *Pass) submit(ctx context.Context, step decide.Submit) (time.Duration, error) {
	contact, err := p.readContact(ctx, step.Contact)
	if err != nil {
		return 0, nil //nolint:nilerr // remembered: the next decision reports it
	}
	if err := p.noteAuthors(ctx, &step); err != nil {
		return 0, err
	}
	submission := operate.Submission{
		Request: step.Request,
		Body:    p.kind.Body(step.Request, contact),
		Class:   decide.ClassOf(step.Request.Operation, step.Request.Target),
		Consume: func() { consume(p.Subject.Record().Controls(), step) },
	}
	return p.Protocol.Send(ctx, p.Scope(), submission)
}

// readContact reads the contact of a request, and remembers whether that is possible.
func (p *Pass) readContact(ctx context.Context, source decide.ContactSource) (v1alpha1.Contact, error) {
	contact, err := p.contact(ctx, source)
	now := p.Protocol.Now()
	p.Protocol.Memory.Change(p.Subject.GetUID(), now, func(memory *decide.Memory) {
		memory.ContactErr, memory.ContactAgain, memory.ContactRead = err, now.Add(SecretInterval), source.Secret
		if err != nil {
			memory.ContactRead = ""
		}
	})
	return contact, err
}

// consume marks the control annotations for which a request is sent as handled.
func consume(handled *v1alpha1.Handled, step decide.Submit) {
	if step.Retry != "" {
		handled.Retry = step.Retry
	}
	if step.Approve != "" {
		handled.Approve = step.Approve
	}
	if step.Reconcile != "" {
		handled.Reconcile = step.Reconcile
	}
}

// contact reads the contact that the carrier should call; it is empty if the request names none.
func (p *Pass) contact(ctx context.Context, source decide.ContactSource) (v1alpha1.Contact, error) {
	switch {
	case source.Inline != nil:
		return *source.Inline, nil
	case source.Secret == "":
		return v1alpha1.Contact{}, nil
	}
	key := client.ObjectKey{Namespace: p.Subject.GetNamespace(), Name: source.Secret}
	sentTo := sessions.Use{Addresses: []string{p.Account.Object.Spec.BaseURL}}
	secret, err := sessions.ReadSecret(ctx, p.Protocol.Live, key, sentTo)
	if err != nil {
		return v1alpha1.Contact{}, fmt.Errorf("cannot read the contact: %w", err)
	}
	return contactIn(secret)
}

// contactIn returns the contact in a Secret, without the trailing line breaks of files.
func contactIn(secret *corev1.Secret) (v1alpha1.Contact, error) {
	for _, name := range []string{"name", "phone", "email"} {
		if len(secret.Data[name]) == 0 {
			return v1alpha1.Contact{}, &decide.SecretError{Secret: secret.Name, Key: name}
		}
	}
	held := func(name string) string { return strings.TrimSpace(string(secret.Data[name])) }
	contact := v1alpha1.Contact{Name: held("name"), Phone: held("phone"), Email: held("email")}
	if flaw := contact.Flaw(); flaw != "" {
		return v1alpha1.Contact{}, &decide.SecretError{Secret: secret.Name, Flaw: flaw}
	}
	return contact, nil
}

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

// voidResolution records that the resolve annotation has no effect, now or later, if the policy
// for who may set it has changed since the decision: anybody who may edit the object may have set
// it. It reports whether it recorded that.
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

// probe reads the cancellation of a service of the account, which is free, to learn whether the
// carrier answers. An account without services has nothing to read.
func (p *Pass) probe(ctx context.Context) (time.Duration, error) {
	number, err := p.ProbeTarget(ctx, p.Account.Object)
	switch {
	case err != nil:
		return 0, err
	case number == 0:
		p.Session.Unprobed()
		return 0, nil
	}
	wait, err := p.Session.Prepare(ctx, carrier.ClassQuery)
	if wait > 0 || err != nil {
		return wait, err
	}
	p.Session.Probe(ctx, number)
	return 0, nil
}

// ProbeTarget returns the number of the account's service to read; 0 if there is none.
func (o *Operator) ProbeTarget(ctx context.Context, account *v1alpha1.CarrierAccount) (int64, error) {
	var services v1alpha1.BroadbandServiceList
	err := o.List(ctx, &services, client.InNamespace(account.Namespace),
		client.MatchingFields{index.Account: account.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return 0, fmt.Errorf("look for a service of CarrierAccount %s: %w", account.Name, err)
	}
	for i := range services.Items {
		if id := services.Items[i].ServiceNumber(); id != "" && decide.Listed(account, id) {
			return id.Number(), nil
		}
	}
	return 0, nil
}
