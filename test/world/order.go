// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/orders"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The sites for which the simulated carrier has a qualification.
const (
	QualificationNew  = "SQ-NEW"  // nothing is installed
	QualificationUsed = "SQ-USED" // an NTD with a free port and one in use
	LocationNew       = "LOC000000000001"
	LocationUsed      = "LOC000000000002"
	InstalledNTD      = "NTD-1"
	UsedAVC           = "AVC000000000002"
)

func qualifications(ofClient string) []simulator.Qualification {
	return []simulator.Qualification{
		{
			QualificationSearchID: QualificationNew, RemoteQualificationSearchID: "R-" + QualificationNew,
			Client: ofClient, LocationID: LocationNew, POI: "POI-1", POIName: "Exchange One", Region: "Urban",
			NTDInstallationFee: &simulator.Price{OneTime: "300.00"},
			Address:            simulator.Address{FormattedAddress: "1 Example Street, Springfield"},
		},
		{
			QualificationSearchID: QualificationUsed, RemoteQualificationSearchID: "R-" + QualificationUsed,
			Client: ofClient, LocationID: LocationUsed,
			Infrastructures: []simulator.Infrastructure{{
				ID: InstalledNTD, RemainingDown: 1000,
				Ports: []simulator.Port{
					{ID: 1, Used: true, AVCID: UsedAVC, TransferFee: simulator.Price{OneTime: "22.50"}}, {ID: 2},
				},
			}},
		},
	}
}

// Order builds a ServiceOrder for the first infrastructure at a site.
func (w *World) Order(name, reference string, edits ...func(*v1alpha1.ServiceOrder)) *v1alpha1.ServiceOrder {
	return edited(&v1alpha1.ServiceOrder{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Spec: v1alpha1.ServiceOrderSpec{
			AccountRef: v1alpha1.AccountReference{Name: AccountName}, CustomerReference: reference,
			Scenario: v1alpha1.ScenarioFirst, PlanName: PlanFast, Term: 12, AggregationMethod: "L2TP",
			Qualification: v1alpha1.QualificationIDs{
				QualificationSearchID: QualificationNew, RemoteQualificationSearchID: "R-" + QualificationNew,
				LocationID: LocationNew,
			},
			NTDInstallation: "wholesale-tech",
			Contact:         &v1alpha1.Contact{Name: contactName, Phone: contactPhone, Email: contactEmail},
		},
	}, edits)
}

// ReadOrder reads an order from the API server.
func (w *World) ReadOrder(ctx context.Context, name string) *v1alpha1.ServiceOrder {
	ginkgo.GinkgoHelper()
	return mustRead[v1alpha1.ServiceOrder](ctx, w, name)
}

// EditOrder changes an order as a user would.
func (w *World) EditOrder(ctx context.Context, name string, edit func(*v1alpha1.ServiceOrder)) {
	ginkgo.GinkgoHelper()
	change(ctx, w, name, edit)
}

// AnnotateOrder sets an annotation as a user would.
func (w *World) AnnotateOrder(ctx context.Context, name, key, value string) {
	ginkgo.GinkgoHelper()
	annotate(ctx, w, w.ReadOrder(ctx, name), key, value)
}

// Ordered counts the POSTs that the carrier has seen for a customerReference.
func (w *World) Ordered(reference string) simulator.Count {
	return w.Carrier.SubmissionsAbout(simulator.OpOrderCreate, reference)
}

// Posted returns the bodies of the POSTs to a path, as sent over the wire.
func (w *World) Posted(path string) []string {
	w.proxy.mu.Lock()
	defer w.proxy.mu.Unlock()
	return append([]string(nil), w.proxy.posted[path]...)
}

// ReconcileOrder runs one pass over an order, which must leave it valid.
func (p *Process) ReconcileOrder(ctx context.Context, name string) (ctrl.Result, error) {
	ginkgo.GinkgoHelper()
	return p.reconcile(ctx, p.reconcilers.Orders, "ServiceOrder", name)
}

// Reject notifies the operator that the carrier rejects an order that it had accepted.
func (p *Process) Reject(ctx context.Context, name string, orderID int64, reason string) error {
	ginkgo.GinkgoHelper()
	notification := decide.Notification{Event: carrier.EventOrderRejected, Reason: reason}
	_, err := p.run(func() (ctrl.Result, error) {
		return ctrl.Result{}, p.reconcilers.Orders.RecordRejection(ctx, p.request(name).NamespacedName,
			orders.At{ID: v1alpha1.CarrierIDOf(orderID)}, notification)
	})
	p.world.expectValid(ctx, "ServiceOrder", name)
	return err
}

// DriveOrder is Drive for an order.
func (p *Process) DriveOrder(ctx context.Context, name string) *v1alpha1.ServiceOrder {
	ginkgo.GinkgoHelper()
	pass := func() (ctrl.Result, error) { return p.ReconcileOrder(ctx, name) }
	if !p.drive(ctx, pass, func() bool { return p.world.stalled(ctx, name) }) {
		return nil
	}
	return lookUp[v1alpha1.ServiceOrder](ctx, p.world, name)
}

// stalled reports whether an order waits for a person. Such an order is reconciled forever.
func (w *World) stalled(ctx context.Context, name string) bool {
	order := lookUp[v1alpha1.ServiceOrder](ctx, w, name)
	return order != nil && Condition(order.Status.Conditions, v1alpha1.ConditionStalled).Status == metav1.ConditionTrue
}
