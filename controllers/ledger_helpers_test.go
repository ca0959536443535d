// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// serviceLedger returns the ledger of a service, or nil.
func serviceLedger(ctx SpecContext, w *world.World, line int64) *v1alpha1.RequestLedger {
	GinkgoHelper()
	name := decide.LedgerName(&v1alpha1.RequestLedgerSpec{
		Login: w.Account().Login(), Service: &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(line)},
	})
	ledger := &v1alpha1.RequestLedger{}
	err := w.Get(ctx, client.ObjectKey{Name: name}, ledger)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil {
		return nil
	}
	return ledger
}

// ledgerOf returns the ledger of the customerReference, or nil.
func ledgerOf(ctx SpecContext, w *world.World) *v1alpha1.RequestLedger {
	GinkgoHelper()
	ledger := &v1alpha1.RequestLedger{}
	name := decide.LedgerName(&v1alpha1.RequestLedgerSpec{
		Login: w.Account().Login(), Order: &v1alpha1.LedgerOrder{CustomerReference: reference},
	})
	err := w.Get(ctx, client.ObjectKey{Name: name}, ledger)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil {
		return nil
	}
	return ledger
}

// loginLedger returns the ledger of what the accounts with the world's login share, or nil.
func loginLedger(ctx SpecContext, w *world.World) *v1alpha1.RequestLedger {
	GinkgoHelper()
	return ledgerOfLogin(ctx, w, w.Account().Login())
}

// ledgerOfLogin returns the ledger of what the accounts with a login share, or nil.
func ledgerOfLogin(ctx SpecContext, w *world.World, login v1alpha1.CarrierLogin) *v1alpha1.RequestLedger {
	GinkgoHelper()
	name := decide.LoginLedgerName(login)
	ledger := &v1alpha1.RequestLedger{}
	err := w.Get(ctx, client.ObjectKey{Name: name}, ledger)
	Expect(client.IgnoreNotFound(err)).To(Succeed())
	if err != nil {
		return nil
	}
	return ledger
}

// testsLedger is the ledger of the diagnostic tests of a service.
func testsLedger(ctx SpecContext, w *world.World, line int64) *v1alpha1.RequestLedger {
	GinkgoHelper()
	name := decide.LedgerName(&v1alpha1.RequestLedgerSpec{
		Login: w.Account().Login(), Diagnostics: &v1alpha1.LedgerService{ID: v1alpha1.CarrierIDOf(line)},
	})
	ledger := &v1alpha1.RequestLedger{}
	Expect(w.Get(ctx, client.ObjectKey{Name: name}, ledger)).To(Succeed())
	return ledger
}

// recordedPlanChange returns the complete newest plan change from the ledger of a service.
func recordedPlanChange(ctx SpecContext, w *world.World, service *v1alpha1.BroadbandService) *v1alpha1.Request {
	GinkgoHelper()
	ledger := &v1alpha1.RequestLedger{}
	Expect(w.Get(ctx, client.ObjectKey{Name: service.Status.Ledger.Name}, ledger)).To(Succeed())
	attempt := ledger.RequestOf(v1alpha1.OperationPlanChange)
	Expect(attempt).NotTo(BeNil())
	return attempt
}

// recorded returns the whole newest request of an operation, from the ledger that a service shows.
func recorded(ctx context.Context, service *v1alpha1.BroadbandService, operation v1alpha1.Operation) *v1alpha1.Request {
	GinkgoHelper()
	ledger := &v1alpha1.RequestLedger{}
	Expect(plane.Client.Get(ctx, client.ObjectKey{Name: service.Status.Ledger.Name}, ledger)).To(Succeed())
	request := ledger.RequestOf(operation)
	Expect(request).NotTo(BeNil())
	return request
}

// recordedOrder returns the newest recorded attempt of the order.
func recordedOrder(ctx SpecContext, w *world.World) *v1alpha1.Request {
	GinkgoHelper()
	return ledgerOf(ctx, w).RequestOf(v1alpha1.OperationOrderCreate)
}

// ledgerNames returns the names of the ledgers of a world, sorted by what they are about.
func ledgerNames(ctx SpecContext, w *world.World) []string {
	GinkgoHelper()
	all := &v1alpha1.RequestLedgerList{}
	Expect(w.List(ctx, all)).To(Succeed())
	about := map[string]string{}
	for _, ledger := range all.Items {
		if ledger.Spec.Login.ClientName == w.ClientName {
			kind, _, _ := strings.Cut(ledger.Name, "-")
			about[fmt.Sprint(kind, ledger.Spec.Service, ledger.Spec.Diagnostics, ledger.Spec.Order)] = ledger.Name
		}
	}
	names := make([]string, 0, len(about))
	for _, key := range slices.Sorted(maps.Keys(about)) {
		names = append(names, about[key])
	}
	return names
}

// reserved are the attempts that count towards the chargeLimit of a world's login.
func reserved(ctx SpecContext, w *world.World) []string {
	GinkgoHelper()
	counting := loginLedger(ctx, w).Spec.Account.Reservations
	ids := make([]string, 0, len(counting))
	for _, one := range counting {
		ids = append(ids, one.AttemptID)
	}
	return ids
}

// removeOrderLedger deletes the ledger of the order, after removing its finalizers.
func removeOrderLedger(ctx SpecContext, w *world.World) {
	GinkgoHelper()
	removeLedger(ctx, w, ledgerOf(ctx, w))
}

func removeLedger(ctx SpecContext, w *world.World, ledger *v1alpha1.RequestLedger) {
	GinkgoHelper()
	ledger.Finalizers = nil
	Expect(w.Update(ctx, ledger)).To(Succeed())
	Expect(w.Delete(ctx, ledger)).To(Succeed())
}
