// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/store"
)

// endless is a kind with another step to take after each step.
type endless struct{ kind }

func (endless) gather(context.Context) error { return nil }

func (endless) judge(decide.Input) decide.Decision {
	return decide.Decision{Step: decide.StartReading{}}
}

func (endless) performRead(context.Context, decide.Step) (time.Duration, error) { return 0, nil }

// noEvents is a recorder that drops Events.
type noEvents struct{}

//nolint:revive // argument-limit: the parameters are those of Kubernetes' events.EventRecorder
func (noEvents) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

// A pass that did not end left Ready=True of an earlier generation in place (R18).
func TestR18APassThatDoesNotEndSaysSo(t *testing.T) {
	t.Parallel()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return scrapedAt }
	cluster := store.New(store.Options{
		Scheme: scheme, Now: now, NewUID: func() types.UID { return "service-1" },
	}).Client()
	service := &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: "site"}}
	if err := cluster.Create(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	service.Status.ObservedGeneration = service.Generation
	service.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInSync,
		LastTransitionTime: metav1.NewTime(scrapedAt),
	}}
	if err := cluster.Status().Update(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	operator := newOperator(cluster, cluster, noEvents{}, Options{Now: now, NewID: rand.Text})
	_, err := (&pass{Operator: operator, kind: endless{}, subject: service}).run(t.Context())
	if !errors.Is(err, errTooManySteps) {
		t.Errorf("the pass ended with %v", err)
	}
	if err := operator.Protocol.Live.Get(t.Context(), client.ObjectKeyFromObject(service), service); err != nil {
		t.Fatal(err)
	}
	const message = "a pass took more than 16 steps: this is a fault of the operator, which tries again automatically. " +
		"Please report it, with the manager's log"
	ready := readyCondition(service)
	if ready.Status != metav1.ConditionFalse || ready.Reason != v1alpha1.ReasonProgressing || ready.Message != message {
		t.Errorf("Ready is %+v", ready)
	}
}
