// SPDX-License-Identifier: Apache-2.0

package pass

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
	"github.com/broadband-operator/broadband-operator/controllers/installation"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/cache"
	"github.com/broadband-operator/broadband-operator/test/store"
)

// endless is a kind with another step to take after each step.
func endless() Kind {
	return Kind{
		Gather: func(context.Context, *Pass) error { return nil },
		Judge: func(*Pass, decide.Input) decide.Decision {
			return decide.Decision{Step: decide.StartReading{}}
		},
	}
}

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
	began := time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { return began }
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
		LastTransitionTime: metav1.NewTime(began),
	}}
	if err := cluster.Status().Update(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	operator := &Operator{
		Client: cluster, Marker: &installation.Marker{}, Policies: &installation.Policies{},
		Protocol: &operate.Protocol{
			Cluster: cluster, Live: cluster, Events: noEvents{}, Now: now, NewID: rand.Text,
			Elapsed: func() time.Duration { return 0 }, Memory: operate.NewMemory("me"),
		},
	}
	_, err := New(operator, service, endless()).Run(t.Context())
	if !errors.Is(err, ErrTooManySteps) {
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

// An account may have many services, of which one is read.
func TestAServiceToProbeIsFoundWithoutCopies(t *testing.T) {
	t.Parallel()
	held := cache.Fleet(20, time.Date(2026, time.November, 24, 12, 0, 0, 0, time.UTC))
	account := &v1alpha1.CarrierAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: "default"}}
	for _, one := range held.Services {
		one.Spec.AccountRef.Name, one.Spec.ServiceID = account.Name, "4000001"
	}
	found, err := (&Operator{Client: held}).ProbeTarget(t.Context(), account)
	if err != nil || found != 4000001 {
		t.Errorf("found is %d, %v", found, err)
	}
}
