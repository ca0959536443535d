// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// QualifiedSite is a location that the carrier can quote for.
const QualifiedSite = "LOC000000000001"

// OneShot names an object of a kind that makes one request.
type OneShot struct{ Kind, Name string }

// ReconcileOneShot runs one pass over a one-shot, which must leave it valid.
func (p *Process) ReconcileOneShot(ctx context.Context, shot OneShot) (ctrl.Result, error) {
	ginkgo.GinkgoHelper()
	return p.reconcile(ctx, p.reconcilers.OneShots[shot.Kind], shot.Kind, shot.Name)
}

// DriveOneShot runs passes over a one-shot as [Process.Drive] does over a service. It reports whether
// the process survived them.
func (p *Process) DriveOneShot(ctx context.Context, shot OneShot) bool {
	ginkgo.GinkgoHelper()
	return p.drive(ctx, func() (ctrl.Result, error) { return p.ReconcileOneShot(ctx, shot) }, nil)
}

// meta returns the metadata of an object of the world.
func (w *World) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.Namespace, Name: name}
}

func oneShot(serviceID int64) v1alpha1.OneShotSpec {
	return v1alpha1.OneShotSpec{
		AccountRef: v1alpha1.AccountReference{Name: AccountName}, ServiceID: v1alpha1.CarrierIDOf(serviceID),
	}
}

// Test builds a DiagnosticTest of a service.
func (w *World) Test(name string, serviceID int64, edits ...func(*v1alpha1.DiagnosticTest)) *v1alpha1.DiagnosticTest {
	return edited(&v1alpha1.DiagnosticTest{ObjectMeta: w.meta(name), Spec: v1alpha1.DiagnosticTestSpec{
		OneShotSpec: oneShot(serviceID), TestType: "port-reset",
	}}, edits)
}

// Quote builds a FibreBuildQuote for a location.
func (w *World) Quote(
	name, location string, edits ...func(*v1alpha1.FibreBuildQuote),
) *v1alpha1.FibreBuildQuote {
	return edited(&v1alpha1.FibreBuildQuote{ObjectMeta: w.meta(name), Spec: v1alpha1.FibreBuildQuoteSpec{
		AccountRef: v1alpha1.AccountReference{Name: AccountName}, LocationID: v1alpha1.LocationID(location),
	}}, edits)
}

// Query builds a PlanOptionsQuery for a service.
func (w *World) Query(
	name string, serviceID int64, edits ...func(*v1alpha1.PlanOptionsQuery),
) *v1alpha1.PlanOptionsQuery {
	return edited(&v1alpha1.PlanOptionsQuery{ObjectMeta: w.meta(name), Spec: oneShot(serviceID)}, edits)
}

// Check builds a HealthCheck of a service.
func (w *World) Check(name string, serviceID int64, edits ...func(*v1alpha1.HealthCheck)) *v1alpha1.HealthCheck {
	return edited(&v1alpha1.HealthCheck{ObjectMeta: w.meta(name), Spec: oneShot(serviceID)}, edits)
}

// Fetch reads an object of the world into an empty object and returns it; false if it does not
// exist.
func Fetch[T client.Object](ctx context.Context, w *World, name string, empty T) (T, bool) {
	ginkgo.GinkgoHelper()
	err := w.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: name}, empty)
	gomega.Expect(client.IgnoreNotFound(err)).To(gomega.Succeed())
	return empty, err == nil
}
