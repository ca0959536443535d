// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// naive is the operator that a tutorial leads to, for the same kinds: observe, compare, act, poll.
// It keeps its state in the status, which it writes at every poll, and records a request after the
// POST. So a lost response, a conflict or a kill between the two leads to a second POST. Nothing
// else is done badly on purpose: it has as many workers as the operator, and the same client of the
// carrier.
type naive struct {
	client.Client

	carrier *caller
	events  events.EventRecorder
}

const (
	naiveWorkers = 64               // as many as the operator has by default
	naivePoll    = 5 * time.Second  // between two polls: the operator's first poll comes as early
	naiveResync  = 10 * time.Minute // between two observations of a service that is ready
)

// runNaive runs the naive operator until the context ends.
func runNaive(ctx context.Context, with clientSettings) error {
	calls, err := with.newCaller()
	if err != nil {
		return err
	}
	config, scheme, err := with.cluster()
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Logger: logr.Discard(), Metrics: metricsserver.Options{BindAddress: "0"},
		Cache: cache.Options{DefaultNamespaces: map[string]cache.Config{with.Namespace: {}}},
	})
	if err != nil {
		return fmt.Errorf("create the manager: %w", err)
	}
	err = ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.BroadbandService{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: naiveWorkers}).
		Complete(&naive{mgr.GetClient(), calls, mgr.GetEventRecorder("naive")})
	if err != nil {
		return fmt.Errorf("set up the controller: %w", err)
	}
	return mgr.Start(ctx)
}

// Reconcile polls the request in progress, or observes the service.
func (n *naive) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	service := &v1alpha1.BroadbandService{}
	if err := n.Get(ctx, request.NamespacedName, service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if len(service.Status.Requests) == 0 {
		return n.submit(ctx, service, carrier.Health, healthRequest(service))
	}
	return n.poll(ctx, service, &service.Status.Requests[0])
}

// submit sends a request, and then records it.
func (n *naive) submit(
	ctx context.Context, service *v1alpha1.BroadbandService, operation carrier.Operation, body []byte,
) (ctrl.Result, error) {
	handle, err := n.carrier.submit(ctx, operation, body)
	if err != nil {
		return ctrl.Result{}, err
	}
	service.Status.Requests = []v1alpha1.Request{{
		Operation: v1alpha1.Operation(operation), Attempt: 1, AttemptID: handle.ID, Location: handle.ID,
		Phase: v1alpha1.PhaseInProgress, SubmittedAt: metav1.NewTime(now()),
	}}
	return n.progress(ctx, service, "sent "+string(operation))
}

// poll polls a request, and continues once it is done.
func (n *naive) poll(
	ctx context.Context, service *v1alpha1.BroadbandService, request *v1alpha1.Request,
) (ctrl.Result, error) {
	operation := carrier.Operation(request.Operation)
	outcome, err := n.carrier.poll(ctx, carrier.Handle{Operation: operation, Version: apiVersion, ID: request.Location})
	if err != nil {
		return ctrl.Result{}, err
	}
	switch {
	case outcome.State == carrier.Pending:
		return n.progress(ctx, service, "polled at "+now().Format(time.TimeOnly))
	case outcome.State == carrier.Failed || operation == carrier.PlanChange:
		n.event(service, "Changed", "%s ended: %s", operation, outcome.State)
		return n.submit(ctx, service, carrier.Health, healthRequest(service)) // the state is observed again
	default:
		return n.compare(ctx, service, outcome)
	}
}

// compare compares what health has shown with what is declared.
func (n *naive) compare(
	ctx context.Context, service *v1alpha1.BroadbandService, outcome carrier.Outcome,
) (ctrl.Result, error) {
	observed, err := carrier.DecodeHealth(apiVersion, outcome.Body)
	if err != nil {
		return ctrl.Result{}, err
	}
	service.Status.Requests = nil
	if observed.Plan != service.Spec.Plan.Name {
		n.event(service, "Changing", "the plan is %s", observed.Plan)
		return n.submit(ctx, service, carrier.PlanChange, planChange(service))
	}
	setReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync, "")
	return ctrl.Result{RequeueAfter: naiveResync}, n.Status().Update(ctx, service)
}

// progress records a step of a request, and polls it later.
func (n *naive) progress(
	ctx context.Context, service *v1alpha1.BroadbandService, step string,
) (ctrl.Result, error) {
	setReady(service, metav1.ConditionFalse, v1alpha1.ReasonProgressing, step)
	return ctrl.Result{RequeueAfter: naivePoll}, n.Status().Update(ctx, service)
}

func (n *naive) event(service *v1alpha1.BroadbandService, reason, text string, values ...any) {
	n.events.Eventf(service, nil, corev1.EventTypeNormal, reason, "Reconcile", text, values...)
}

// setReady sets the condition that everybody waits for.
func setReady(service *v1alpha1.BroadbandService, status metav1.ConditionStatus, reason, message string) {
	service.Status.ObservedGeneration = service.Generation
	meta.SetStatusCondition(&service.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: status, Reason: reason, Message: message,
		ObservedGeneration: service.Generation,
	})
}

// isReady reports whether a service is as declared, for its generation.
func isReady(service *v1alpha1.BroadbandService) bool {
	return slices.ContainsFunc(service.Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == v1alpha1.ConditionReady && c.Status == metav1.ConditionTrue &&
			c.ObservedGeneration == service.Generation
	})
}
