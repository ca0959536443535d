// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// loginPause is the wait before a login that failed in use is tried again. The
// account's controller is told at once and finds out more.
const loginPause = 15 * time.Second

// contactPause is the wait before a contact's Secret that could not be read is read
// again: Secrets are read, not watched.
const contactPause = time.Minute

// servicePass is one pass over one service.
type servicePass struct {
	*BroadbandServiceReconciler

	service *v1alpha1.BroadbandService       // as it stands, facts of this pass included
	written *v1alpha1.BroadbandServiceStatus // as it is on record
	version string                           // the resourceVersion of that record
	account decide.Account
	order   *decide.Order // the order that orderRef names, if there is one
	named   bool          // the service's number has just been learned from it
	rival   string
	session *accounts.Session // nil while the account cannot be used
	verdict *decide.Verdict   // a verdict that stands above the judgement: a record that is not ours to adopt
}

// open gathers what does not change within a pass, and adopts what an older object of
// the same service left behind.
func (p *servicePass) open(ctx context.Context) error {
	p.noteWritten()
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	if err := p.gatherOrder(ctx); err != nil {
		return err
	}
	if err := p.gatherRival(ctx); err != nil {
		return err
	}
	if err := p.adopt(ctx); err != nil {
		return err
	}
	if len(p.service.Status.Requests) > 0 && len(p.written.Requests) > 0 {
		return p.Protocol.Hold(ctx, p.service) // "put back if missing"
	}
	return nil
}

// decide judges the service as it stands now.
func (p *servicePass) decide() decide.Decision {
	if p.verdict != nil {
		return decide.Decision{Step: decide.Rest{}, Verdict: *p.verdict, Handled: p.service.Status.Handled}
	}
	view := p.view()
	decide.Absorb(&view)
	return decide.Service(view)
}

func (p *servicePass) view() decide.ServiceView {
	now := p.Protocol.Now()
	return decide.ServiceView{
		View: decide.View{
			Subject: p.service, Account: p.account, Now: now, Submit: p.Submit,
			Memory: p.Protocol.Ledger.Recall(p.service.UID, p.service.OpenRequests(), now),
		},
		Service: p.service, Order: p.order, Named: p.named, Rival: p.rival,
	}
}

// describe brings the status in line with a decision.
func (p *servicePass) describe(decision decide.Decision) {
	now := p.Protocol.Now()
	target := status.Object{Conditions: &p.service.Status.Conditions, Generation: p.service.Generation}
	status.Describe(target, decision.Verdict, now)
	status.DescribeFacets(target, decision.Facets, now)
	p.service.Status.ObservedGeneration = p.service.Generation
	p.service.Status.Pending = decision.Pending
	p.service.Status.Handled = decision.Handled
}

func (p *servicePass) changed() bool {
	return !equality.Semantic.DeepEqual(p.written, &p.service.Status)
}

// perform does the one thing that a decision asks for. A wait above zero says when to
// come back, because it could not be done now.
func (p *servicePass) perform(ctx context.Context, decision decide.Decision) (time.Duration, error) {
	wait, err := p.take(ctx, decision)
	if _, login := errors.AsType[*accounts.LoginError](err); login {
		return loginPause, nil
	}
	p.noteWritten()
	return wait, err
}

func (p *servicePass) take(ctx context.Context, decision decide.Decision) (wait time.Duration, err error) {
	switch step := decision.Step.(type) {
	case decide.Rest:
	case decide.Ask:
		wait, err = p.Protocol.Ask(ctx, p.session, operate.Question{
			UID: p.service.UID, ServiceID: p.service.ServiceNumber(),
			Version: int(p.account.Object.Spec.APIVersion), Topic: step.Topic, Token: step.Token,
		})
	case decide.Collect:
		readings := p.view().Memory.Readings
		wait, err = p.Protocol.Collect(ctx, p.session, p.service.UID, step.Topic, *readings.Of(step.Topic))
	case decide.Submit:
		p.service.Status.Pending = decision.Pending
		wait, err = p.submit(ctx, step)
	case decide.Follow:
		wait, err = p.Protocol.Follow(ctx, p.job(), step.AttemptID, finish(p.Protocol.Now()))
	case decide.Record:
		err = p.Protocol.RecordAnswer(ctx, p.job(), step.AttemptID)
	case decide.Settle:
		fact := operate.Decided(step, p.reached(step.Source, decision.Handled.Resolve))
		err = p.Protocol.Settle(ctx, p.job(), step.AttemptID, fact)
	case decide.MournStatus:
		p.mourn(step.Request)
	}
	return wait, err
}

// noteWritten remembers what is on record, when a step has written.
func (p *servicePass) noteWritten() {
	if p.version != p.service.ResourceVersion {
		p.version, p.written = p.service.ResourceVersion, p.service.Status.DeepCopy()
	}
}

// job is this service as the protocol sees it. What was read so far is in the status of
// this pass: after the step it would be older than what the step has brought.
func (p *servicePass) job() operate.Job {
	p.Protocol.Ledger.Note(p.service.UID, p.Protocol.Now(), func(memory *decide.Memory) { memory.Readings.Taken() })
	return operate.Job{
		Subject: p.service, Carrier: p.session, Refused: p.doubt,
		Describe: func() { p.describe(p.decide()) },
	}
}

// doubt gives up what was known of a cancellation that the carrier says is not requested.
func (p *servicePass) doubt(request *v1alpha1.Request) {
	if decide.NotRequested(request) && p.service.Status.Carrier != nil {
		p.service.Status.Carrier.Cancellation = nil
	}
}

// submit sends a request: its contact is read first, so that a missing Secret costs
// neither an intent nor an unknown outcome.
func (p *servicePass) submit(ctx context.Context, step decide.Submit) (time.Duration, error) {
	contact, err := p.contact(ctx, step.Contact)
	now := p.Protocol.Now()
	p.Protocol.Ledger.Note(p.service.UID, now, func(memory *decide.Memory) {
		memory.ContactErr, memory.ContactAgain = err, now.Add(contactPause)
	})
	if err != nil {
		return 0, nil //nolint:nilerr // remembered: the next judgement words it
	}
	request := step.Request
	return p.Protocol.Send(ctx, p.job(), operate.Parcel{
		Request: request,
		Body:    decide.Body(request.Operation, p.service.ServiceNumber(), request.Target, contact),
		Class:   decide.ClassOf(request.Operation, request.Target),
		Consume: p.consume(step),
	})
}

// consume uses the control annotations up for which a request is sent.
func (p *servicePass) consume(step decide.Submit) func() {
	return func() {
		if step.Retry != "" {
			p.service.Status.Handled.Retry = step.Retry
		}
		if step.Approve != "" {
			p.service.Status.Handled.Approve = step.Approve
		}
	}
}

// contact reads whom the carrier shall call; nobody when the request names nobody.
func (p *servicePass) contact(ctx context.Context, source decide.ContactSource) (v1alpha1.Contact, error) {
	switch {
	case source.Inline != nil:
		return *source.Inline, nil
	case source.Secret == "":
		return v1alpha1.Contact{}, nil
	}
	var secret corev1.Secret
	key := client.ObjectKey{Namespace: p.service.Namespace, Name: source.Secret}
	err := p.Protocol.Live.Get(ctx, key, &secret)
	switch {
	case apierrors.IsNotFound(err):
		return v1alpha1.Contact{}, &decide.SecretError{Secret: source.Secret}
	case err != nil:
		return v1alpha1.Contact{}, fmt.Errorf("read Secret %s: %w", source.Secret, err)
	}
	return contactIn(&secret)
}

// contactIn is the contact that a Secret holds.
func contactIn(secret *corev1.Secret) (v1alpha1.Contact, error) {
	for _, name := range []string{"name", "phone", "email"} {
		if len(secret.Data[name]) == 0 {
			return v1alpha1.Contact{}, &decide.SecretError{Secret: secret.Name, Key: name}
		}
	}
	return v1alpha1.Contact{
		Name: string(secret.Data["name"]), Phone: string(secret.Data["phone"]), Email: string(secret.Data["email"]),
	}, nil
}

// finish takes over the carrier's result of a request. After our own success the
// baseline is what we asked for, not the name that comes back.
func finish(now time.Time) operate.Finish {
	return func(subject operate.Subject, request *v1alpha1.Request, body []byte) {
		service, isService := subject.(*v1alpha1.BroadbandService)
		if !isService {
			return
		}
		if why := decide.Finish(service, request, body, now); why != nil {
			request.Phase, request.Error = why.Phase, why.Error
		}
	}
}

// reached is what a settled attempt brings about, and the word that settled it.
func (p *servicePass) reached(source v1alpha1.ValueSource, word string) func(operate.Subject, *v1alpha1.Request) {
	return func(subject operate.Subject, request *v1alpha1.Request) {
		service, isService := subject.(*v1alpha1.BroadbandService)
		if !isService {
			return
		}
		service.Status.Handled.Resolve = word
		switch {
		case request.Phase != v1alpha1.PhaseSucceeded:
		case decide.StandsForLost(request):
			decide.TakeDeclared(service, p.Protocol.Now())
		default:
			decide.Reached(service, request, source, p.Protocol.Now())
		}
	}
}

// mourn puts an attempt on record that stands for whatever was sent before the status
// was lost, with a fresh id for resolve to name.
func (p *servicePass) mourn(lost v1alpha1.Request) {
	lost.AttemptID = p.Protocol.NewID()
	p.service.PutRequest(lost)
}
