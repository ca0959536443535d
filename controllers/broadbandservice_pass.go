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
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
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

func (p *servicePass) view() decide.View {
	now := p.Protocol.Now()
	attempt, phase := "", ""
	if open := p.service.OpenRequest(); open != nil {
		attempt, phase = open.AttemptID, string(open.Phase)
	}
	return decide.View{
		Service: p.service, Account: p.account, Rival: p.rival, Now: now, Submit: p.Submit,
		Memory: p.Protocol.Ledger.Recall(p.service.UID, attempt, phase, now),
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
	case decide.AskHealth:
		wait, err = p.Protocol.AskHealth(ctx, p.session, operate.HealthQuestion{
			UID: p.service.UID, ServiceID: *p.service.Spec.ServiceID,
			Version: int(p.account.Object.Spec.APIVersion), Token: step.Token,
		})
	case decide.FollowHealth:
		wait, err = p.Protocol.FollowHealth(ctx, p.session, p.service.UID, p.view().Memory.Reading)
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

// job is this service as the protocol sees it.
func (p *servicePass) job() operate.Job {
	return operate.Job{Subject: p.service, Carrier: p.session, Describe: func() { p.describe(p.decide()) }}
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
	return p.Protocol.Send(ctx, p.job(), operate.Parcel{
		Request: step.Request,
		Body:    decide.Body(*p.service.Spec.ServiceID, step.Request.Target, contact),
		Class:   decide.ClassOf(step.Request.Operation, step.Request.Target),
		Consume: p.consumeRetry(step.Request.Operation),
	})
}

// consumeRetry uses the retry annotation up, when it is why the request is sent.
func (p *servicePass) consumeRetry(operation v1alpha1.Operation) func() {
	last := p.service.RequestOf(operation)
	if last == nil || !decide.Definitive(last.Phase) {
		return nil
	}
	return func() { p.service.Status.Handled.Retry = p.service.Annotations[v1alpha1.AnnotationRetry] }
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
	return func(subject operate.Subject, request *v1alpha1.Request, body []byte) *v1alpha1.RequestError {
		service, isService := subject.(*v1alpha1.BroadbandService)
		result, err := carrier.DecodeSummary(carrier.Operation(request.Operation), body)
		if !isService || err != nil {
			return decide.RequestErrorOf(err)
		}
		if !decide.MatchesTarget(service, request, result) {
			return &v1alpha1.RequestError{Code: v1alpha1.ReasonHandleLost, Message: fmt.Sprintf(
				"the Location %s leads to request %d of service %d, which is not ours",
				request.Location, result.ID, result.ServiceID)}
		}
		request.CarrierStatus = result.Status
		decide.Reached(service, request.Target, v1alpha1.SourceChangeResult, now)
		return nil
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
		case request.Target == (v1alpha1.RequestTarget{}):
			decide.TakeDeclared(service, p.Protocol.Now())
		default:
			decide.Reached(service, request.Target, source, p.Protocol.Now())
		}
	}
}

// mourn puts an attempt on record that stands for whatever was sent before the status
// was lost, with a fresh id for resolve to name.
func (p *servicePass) mourn(lost v1alpha1.Request) {
	lost.AttemptID = p.Protocol.NewID()
	p.service.PutRequest(lost)
}
