// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// limit is the replay limit: it makes exactly the calls and writes that a change needs, all changes
// side by side, and polls each request when it is done, because it knows all times beforehand. Only
// the API server and the rate of calls bound it. It is no operator: it survives no fault.
type limit struct {
	client.WithWatch

	with    clientSettings
	carrier *caller
	failed  chan error
}

// runLimit makes the changes of all services of a namespace until the context ends.
func runLimit(ctx context.Context, with clientSettings) error {
	calls, err := with.newCaller()
	if err != nil {
		return err
	}
	config, scheme, err := with.cluster()
	if err != nil {
		return err
	}
	if err = eventsv1.AddToScheme(scheme); err != nil {
		return fmt.Errorf("register Events: %w", err)
	}
	cluster, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	return (&limit{cluster, with, calls, make(chan error, 1)}).run(ctx)
}

func (l *limit) run(ctx context.Context) error {
	started := map[string]int64{} // the newest generation for which work has begun, by service
	ended := make(chan error, 1)
	go func() {
		ended <- follow(ctx, l, l.with.Namespace, func(service *v1alpha1.BroadbandService) {
			if service.Generation > started[service.Name] {
				started[service.Name] = service.Generation
				go func() { l.report(l.handle(ctx, service)) }()
			}
		})
	}()
	select {
	case err := <-l.failed:
		return err
	case err := <-ended:
		return err
	}
}

func (l *limit) report(err error) {
	if err != nil {
		select {
		case l.failed <- err:
		default: // one failure is enough
		}
	}
}

// handle imports a new service, which the carrier is known to have as declared, or changes its plan.
func (l *limit) handle(ctx context.Context, service *v1alpha1.BroadbandService) error {
	c := &limitedChange{limit: l, service: service, ledger: l.newLedger(service)}
	steps := []func(context.Context) error{c.create, c.ready}
	if service.Status.ObservedGeneration > 0 {
		steps = []func(context.Context) error{
			c.read, c.readings, c.intend, c.send, c.accepted, c.progressing, c.await, c.succeeded, c.ready,
		}
	}
	if err := inTurn(ctx, steps...); err != nil {
		return fmt.Errorf("BroadbandService %s: %w", service.Name, err)
	}
	return nil
}

// limitedChange is the change of one service: the readings and the plan change, with three writes of
// the ledger, two of the status and two Events.
type limitedChange struct {
	*limit

	service *v1alpha1.BroadbandService
	ledger  *v1alpha1.RequestLedger
	polled  carrier.Handle // the request in progress
}

// newLedger returns the ledger of a service as it is before the first change.
func (l *limit) newLedger(service *v1alpha1.BroadbandService) *v1alpha1.RequestLedger {
	return &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: "limit-" + service.Namespace + "-" + service.Name},
		Spec: v1alpha1.RequestLedgerSpec{
			Schema: v1alpha1.LedgerSchema, Revision: 1,
			Login:   v1alpha1.CarrierLogin{BaseURL: l.with.Origin, ClientName: l.with.ClientName},
			Service: &v1alpha1.LedgerService{ID: service.Spec.ServiceID},
			Holder: v1alpha1.LedgerHolder{
				Namespace: service.Namespace, Name: service.Name, UID: string(service.UID),
			},
		},
	}
}

func (c *limitedChange) create(ctx context.Context) error { return c.Create(ctx, c.ledger) }

// read reads the ledger, as a cache would have it.
func (c *limitedChange) read(ctx context.Context) error {
	return c.Get(ctx, client.ObjectKeyFromObject(c.ledger), c.ledger)
}

// readings asks at once for what has to be known: the health and, if the price matters, the options.
func (c *limitedChange) readings(ctx context.Context) error {
	bodies := make(map[carrier.Operation][]byte)
	bodies[carrier.Health] = healthRequest(c.service)
	if c.with.Priced {
		bodies[carrier.PlanOptions] = carrier.PlanOptionsRequest{ServiceID: c.service.Spec.ServiceID.Number()}.Body()
	}
	group, ctx := errgroup.WithContext(ctx)
	for operation, body := range bodies {
		group.Go(func() error {
			reading, err := c.carrier.submit(ctx, operation, body)
			if err != nil {
				return err
			}
			return c.awaitDone(ctx, reading)
		})
	}
	return group.Wait() //nolint:wrapcheck // the functions say what they do
}

func (c *limitedChange) send(ctx context.Context) (err error) {
	c.polled, err = c.carrier.submit(ctx, carrier.PlanChange, planChange(c.service))
	return err
}

func (c *limitedChange) await(ctx context.Context) error { return c.awaitDone(ctx, c.polled) }

// awaitDone polls a request at the moment when it is done. Half of a round trip has passed since the
// carrier accepted it, and another half will pass until the poll arrives.
func (c *limitedChange) awaitDone(ctx context.Context, request carrier.Handle) error {
	const margin = 10 * time.Millisecond // the poll must not arrive too soon
	operation := simulator.Operation(request.Operation)
	takes := c.with.Times.of(operation, c.service.Spec.ServiceID.Number())
	if c.service.Generation <= prepared {
		takes = 0 // the carrier is not slow yet
	}
	if err := pause(ctx, takes-time.Duration(c.with.RoundTrip)+margin); err != nil {
		return err
	}
	for {
		outcome, err := c.carrier.poll(ctx, request)
		if err != nil || outcome.State != carrier.Pending {
			return err
		}
	}
}

func (c *limitedChange) intend(ctx context.Context) error {
	c.ledger.Spec.Open = []v1alpha1.Request{{
		Operation: v1alpha1.OperationPlanChange, Attempt: 1, AttemptID: fmt.Sprint(c.service.Generation),
		UID: string(c.service.UID), Generation: c.service.Generation, SubmittedAt: metav1.NewTime(now()),
		Target: v1alpha1.RequestTarget{Plan: c.service.Spec.Plan.Name, Term: c.service.Spec.Plan.Term},
		Phase:  v1alpha1.PhaseSubmitting,
	}}
	return c.record(ctx)
}

func (c *limitedChange) accepted(ctx context.Context) error {
	c.ledger.Spec.Open[0].Phase, c.ledger.Spec.Open[0].Location = v1alpha1.PhaseInProgress, c.polled.Path()
	c.service.Status.Requests = []v1alpha1.Request{*c.ledger.Spec.Open[0].DeepCopy()}
	return errors.Join(c.record(ctx), c.event(ctx, "Sent"))
}

func (c *limitedChange) progressing(ctx context.Context) error {
	setReady(c.service, metav1.ConditionFalse, v1alpha1.ReasonProgressing, "")
	return c.Status().Update(ctx, c.service)
}

func (c *limitedChange) succeeded(ctx context.Context) error {
	done := &c.ledger.Spec.Open[0]
	done.Phase, done.FinishedAt, done.EndedBy = v1alpha1.PhaseSucceeded, metav1.NewTime(now()), v1alpha1.EndedByCarrier
	c.service.Status.Requests = []v1alpha1.Request{*done.DeepCopy()}
	c.ledger.Spec.Open, c.ledger.Spec.Last = nil, c.ledger.Spec.Open
	return errors.Join(c.record(ctx), c.event(ctx, "Succeeded"))
}

func (c *limitedChange) ready(ctx context.Context) error {
	setReady(c.service, metav1.ConditionTrue, v1alpha1.ReasonInSync, "")
	return c.Status().Update(ctx, c.service)
}

// record writes the ledger.
func (c *limitedChange) record(ctx context.Context) error {
	c.ledger.Spec.Revision++
	return c.Update(ctx, c.ledger)
}

func (c *limitedChange) event(ctx context.Context, reason string) error {
	return c.Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.service.Namespace, GenerateName: c.service.Name + "-"},
		EventTime:  metav1.NewMicroTime(now()), ReportingController: "limit", ReportingInstance: "limit",
		Action: "Reconcile", Reason: reason, Type: corev1.EventTypeNormal, Note: "the plan change: " + reason,
		Regarding: corev1.ObjectReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "BroadbandService",
			Namespace: c.service.Namespace, Name: c.service.Name, UID: c.service.UID,
		},
	})
}
