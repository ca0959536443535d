// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// servicePass is one pass over one service.
type servicePass struct {
	*pass

	of      *BroadbandServiceReconciler
	service *v1alpha1.BroadbandService // including the facts of this pass
	order   *decide.Order              // the order that orderRef names, if it exists
}

// gather collects the inputs that do not change within a pass.
func (p *servicePass) gather(ctx context.Context) error {
	if err := p.gatherAccount(ctx); err != nil {
		return err
	}
	if err := p.gatherOrder(ctx); err != nil {
		return err
	}
	if err := p.gatherLedger(ctx, p); err != nil {
		return err
	}
	p.gatherOrigin()
	return nil
}

func (p *servicePass) judge(input decide.Input) decide.Decision {
	judged := decide.ServiceInput{Input: input, Service: p.service, Order: p.order}
	decide.Absorb(&judged)
	return decide.Service(judged)
}

func (p *servicePass) show(decision decide.Decision) {
	p.service.Status.Pending = decision.Pending
	p.service.Status.Change = decide.ChangeColumn(p.service)
	p.nameOrigin()
}

// take performs the reads: the other steps are the same for every kind.
func (p *servicePass) take(ctx context.Context, step decide.Step) (time.Duration, error) {
	switch step := step.(type) {
	case decide.Ask:
		return p.Protocol.Ask(ctx, p.session, p.question(step.Topic, step.Token))
	case decide.Collect:
		readings := p.input().Memory.Readings
		return p.Protocol.Collect(ctx, p.session, p.question(step.Topic, ""), *readings.Of(step.Topic))
	case decide.Rest, decide.Submit, decide.SubmitQuery, decide.Probe, decide.Follow, decide.RecordAnswer, decide.Resolve:
	}
	return 0, nil
}

func (p *servicePass) question(topic decide.Topic, token string) operate.Question {
	return operate.Question{
		UID: p.service.UID, Generation: p.service.Generation, ServiceID: p.service.ServiceNumber().Number(),
		Version: int(p.account.Object.Spec.APIVersion), Topic: topic, Token: token,
	}
}

func (p *servicePass) body(request v1alpha1.Request, contact v1alpha1.Contact) []byte {
	return decide.Body(request.Operation, p.service.ServiceNumber(), request.Target, contact)
}

func (p *servicePass) finish(request *v1alpha1.Request, body []byte) {
	days := decide.Zone(p.account.Object)
	if why := decide.Finish(p.service, request, body, p.Protocol.Now(), days); why != nil {
		request.Phase, request.Error = why.Phase, why.Error
	}
}

func (p *servicePass) reached(request *v1alpha1.Request, source v1alpha1.ValueSource, now time.Time) {
	if decide.StandsForLost(request) {
		request.FinishedAt = v1alpha1.WholeSeconds(now) // values read before the resolution are out of date
	}
	if source == v1alpha1.SourceDeclared {
		decide.Believe(p.service, request, now)
		return
	}
	decide.Reached(p.service, request, source, now)
}

func (p *servicePass) takenBack(request *v1alpha1.Request, now time.Time) {
	decide.TakeBack(p.service, request, now)
}

// refused drops a known cancellation if the carrier reports that none was requested.
func (p *servicePass) refused(request *v1alpha1.Request) {
	if decide.NotRequested(request) && p.service.Status.Carrier != nil {
		p.service.Status.Carrier.Cancellation = nil
	}
}
