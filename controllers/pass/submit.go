// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
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
	secret, err := sessions.ReadSecret(ctx, p.Protocol.Live, key, p.Account.Object.Spec.BaseURL)
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
