// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// firstCommit shows that an order does not block the sync waves, because it is healthy once the
// carrier has accepted it.
func (s *site) firstCommit(ctx context.Context, w *watcher) error {
	revision, err := s.repository.commit(ctx, "Declare an account, an order and three services")
	if err != nil {
		return err
	}
	if err := s.createApplication(ctx); err != nil {
		return err
	}
	if err := w.awaitAll(ctx, atCommit(revision, healthy)); err != nil {
		return err
	}
	return s.inWaves(ctx, w)
}

// inWaves fails unless each wave began after the one before was ready, and the order was ready
// before it had a service.
func (s *site) inWaves(ctx context.Context, w *watcher) error {
	account, order, services := &v1alpha1.CarrierAccount{}, &v1alpha1.ServiceOrder{}, &v1alpha1.BroadbandServiceList{}
	for name, object := range map[string]client.Object{"default": account, "site-014": order} {
		if err := s.cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, object); err != nil {
			return err
		}
	}
	if err := s.cluster.List(ctx, services, client.InNamespace(namespace)); err != nil {
		return err
	}
	if since, ready := readySince(account.Status.Conditions); !ready || order.CreationTimestamp.Before(since) {
		return fmt.Errorf("the order did not wait for the account, ready at %v", since)
	}
	since, ready := readySince(order.Status.Conditions)
	if !ready || order.Status.ServiceID != "" {
		return fmt.Errorf("the order was not accepted, or has a service already: %+v", order.Status)
	}
	for _, service := range services.Items {
		if service.CreationTimestamp.Before(since) {
			return fmt.Errorf("%s did not wait for the order, ready at %v", service.Name, since)
		}
	}
	w.logf("seen: order %s was accepted and has no service yet; the next wave began after it", order.Status.OrderID)
	return nil
}

// readySince returns when an object became ready, and whether it is ready.
func readySince(conditions []metav1.Condition) (*metav1.Time, bool) {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.Status != metav1.ConditionTrue {
		return nil, false
	}
	return &ready.LastTransitionTime, true
}
