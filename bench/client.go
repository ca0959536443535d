// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// clientSettings is what the processes of the naive operator and of the replay limit are started
// with. Each does the work of the operator for the services of one namespace.
type clientSettings struct {
	Kubeconfig, Namespace string
	Origin, TokenURL      string // of the carrier
	ClientName, Key       string
	Rate                  int                // calls per second
	Priced                bool               // whether the price of a change has to be read before it
	RoundTrip             simulator.Duration // known to the replay limit only
	Times                 times              // known to the replay limit only
}

// apiVersion is the version of the carrier's API that both use.
const apiVersion = 8

// caller calls the carrier as often as the account may.
type caller struct {
	client *carrier.Client
	turns  *rate.Limiter
}

func (s *clientSettings) newCaller() (*caller, error) {
	key := carrier.Key{ID: world.KeyID, PEM: []byte(s.Key)}
	tokens, err := carrier.NewTokenSource(carrier.TokenConfig{
		TokenURL: s.TokenURL, ClientName: s.ClientName, AllowInsecure: true, Now: now,
		NewID: func() string { return string(uuid.NewUUID()) }, MaxWait: time.Minute,
		Keys: func(context.Context) ([]carrier.Key, error) { return []carrier.Key{key}, nil },
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the login: %w", err)
	}
	client, err := carrier.NewClient(carrier.Config{
		BaseURL: s.Origin, Version: apiVersion, Tokens: tokens, AllowInsecure: true, Now: now,
		Rate: carrier.NewRate(float64(s.Rate), s.Rate),
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the calls: %w", err)
	}
	return &caller{client, rate.NewLimiter(rate.Limit(s.Rate), s.Rate)}, nil
}

// submit sends a POST, and returns how to poll it.
func (c *caller) submit(ctx context.Context, operation carrier.Operation, body []byte) (carrier.Handle, error) {
	if err := c.turns.Wait(ctx); err != nil {
		return carrier.Handle{}, fmt.Errorf("wait for a turn: %w", err)
	}
	receipt := c.client.Submit(ctx, operation, apiVersion, body)
	if receipt.Delivery != carrier.Accepted {
		return carrier.Handle{}, fmt.Errorf("submit %s: %s: %w", operation, receipt.Delivery, receipt.Err)
	}
	return receipt.Handle, nil
}

// poll polls a request once.
func (c *caller) poll(ctx context.Context, handle carrier.Handle) (carrier.Outcome, error) {
	if err := c.turns.Wait(ctx); err != nil {
		return carrier.Outcome{}, fmt.Errorf("wait for a turn: %w", err)
	}
	return c.client.Poll(ctx, handle)
}

// planChange is the body of the POST that gives a service the declared plan.
func planChange(service *v1alpha1.BroadbandService) []byte {
	return carrier.PlanChangeRequest{
		ServiceID: service.Spec.ServiceID.Number(), PlanName: service.Spec.Plan.Name, Term: int(service.Spec.Plan.Term),
	}.Body()
}

func healthRequest(service *v1alpha1.BroadbandService) []byte {
	return carrier.HealthRequest{ServiceID: service.Spec.ServiceID.Number()}.Body()
}

// cluster returns how the process reaches the API server.
func (s *clientSettings) cluster() (*rest.Config, *runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, nil, fmt.Errorf("register the kinds: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", s.Kubeconfig, err)
	}
	config.QPS = -1
	return config, scheme, nil
}
