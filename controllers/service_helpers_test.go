// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

type edit = func(*v1alpha1.BroadbandService)

// site is the BroadbandService of a test.
const site = "site"

// begin creates a world with a ready account and a process.
func begin(ctx context.Context, edits ...func(*v1alpha1.CarrierAccount)) (*world.World, *world.Process) {
	GinkgoHelper()
	return beginWithWord(ctx, "", edits...)
}

// beginWithWord is begin with a carrier that has a word of its own in identifiers; "": wholesale.
func beginWithWord(
	ctx context.Context, word string, edits ...func(*v1alpha1.CarrierAccount),
) (*world.World, *world.Process) {
	GinkgoHelper()
	w := world.NewWithWord(ctx, plane, word)
	w.Login(ctx, edits...)
	process := w.Start(world.CrashPoint{})
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return w, process
}

// expectReady expects the Ready condition of a service to have a status and a reason.
func expectReady(service *v1alpha1.BroadbandService, status metav1.ConditionStatus, reason string) {
	GinkgoHelper()
	ready := world.Ready(service)
	Expect(string(ready.Status)+"/"+ready.Reason).To(Equal(string(status)+"/"+reason), ready.Message)
}

func condition(service *v1alpha1.BroadbandService, conditionType string) metav1.Condition {
	return world.Condition(service.Status.Conditions, conditionType)
}

// expectAspect expects a condition to have a status and a reason.
func expectAspect(
	service *v1alpha1.BroadbandService, conditionType string, status metav1.ConditionStatus, reason string,
) {
	GinkgoHelper()
	held := condition(service, conditionType)
	Expect(string(held.Status)+"/"+held.Reason).To(Equal(string(status)+"/"+reason), held.Message)
}

// driveUntilAccepted drives a service until the carrier has accepted a request for it.
func driveUntilAccepted(ctx context.Context, w *world.World, process *world.Process) *v1alpha1.BroadbandService {
	GinkgoHelper()
	for range 50 {
		result, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		service := w.Read(ctx, site)
		if service.Status.InFlight != nil && service.Status.InFlight.Location != "" {
			return service
		}
		w.Clock.Advance(result.RequeueAfter)
	}
	Fail("no request was ever in flight")
	return nil
}

// deleteInProgress drives a service until a request is in progress, and then deletes it.
func deleteInProgress(ctx context.Context, w *world.World, process *world.Process) {
	GinkgoHelper()
	driveUntilAccepted(ctx, w, process)
	Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
	process.Drive(ctx, site)
}

// reconcileServiceFor reconciles a service for a span of time.
func reconcileServiceFor(ctx context.Context, w *world.World, process *world.Process, span time.Duration) {
	GinkgoHelper()
	for end := w.Clock.Now().Add(span); w.Clock.Now().Before(end); {
		result, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		w.Clock.Advance(min(max(result.RequeueAfter, time.Second), time.Hour))
	}
}

func withPlan(name string, term int32) func(*v1alpha1.BroadbandService) {
	return func(service *v1alpha1.BroadbandService) { service.Spec.Plan = &v1alpha1.Plan{Name: name, Term: term} }
}

func withSLA(name string) func(*v1alpha1.BroadbandService) {
	return func(service *v1alpha1.BroadbandService) { service.Spec.RestorationSLA = name }
}

func withEthernet(s *v1alpha1.BroadbandService) { s.Spec.AggregationMethod = "ETHERNET" }

// withoutPlan declares no plan.
func withoutPlan(s *v1alpha1.BroadbandService) { s.Spec.Plan = nil }

func withApproval(approval v1alpha1.Approval) edit {
	return func(s *v1alpha1.BroadbandService) { s.Spec.Approval = approval }
}

// withStableProfile declares the stable DSL profile and nothing else.
func withStableProfile(service *v1alpha1.BroadbandService) {
	service.Spec.Plan, service.Spec.DSLStabilityProfile = nil, "Stable"
}

func suspended(suspend bool) func(*v1alpha1.BroadbandService) {
	return func(service *v1alpha1.BroadbandService) { service.Spec.Suspend = suspend }
}

func underManagement(policy v1alpha1.ManagementPolicy) edit {
	return func(s *v1alpha1.BroadbandService) { s.Spec.ManagementPolicy = policy }
}

// aggregated declares an aggregation method and nothing else.
func aggregated(method string) func(*v1alpha1.BroadbandService) {
	return func(service *v1alpha1.BroadbandService) {
		service.Spec.Plan, service.Spec.AggregationMethod = nil, method
	}
}

func orNoop[T any](edit func(T)) func(T) {
	if edit == nil {
		return func(T) {}
	}
	return edit
}

func both(first, second edit) edit {
	return func(s *v1alpha1.BroadbandService) { first(s); second(s) }
}
