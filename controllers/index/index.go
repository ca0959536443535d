// SPDX-License-Identifier: Apache-2.0

// Package index names the fields by which the controllers list objects, and indexes them in a cache.
package index

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// The fields for finding ledgers.
const (
	Login           = "spec.login" // of the ledgers of orders, services and tests
	LedgerReference = "spec.order.customerReference"
	LedgerService   = "spec.service.id"
	AwaitsRelease   = "awaitsRelease" // of ledgers that are being deleted: True
)

// True is the value of a field that only says whether something applies.
const True = "true"

// AccountLogin is the field for finding the accounts with a login.
const AccountLogin = "login"

// The fields for finding services. The API server also supports all of them as field selectors.
const (
	ServiceID = "spec.serviceID"
	LearnedID = "status.serviceID"
	Account   = "spec.accountRef.name"
)

// The fields for finding orders, and the services and appointment-requests that refer to them.
const (
	Reference = "spec.customerReference"
	OrderRef  = "spec.orderRef.name"
	OrderID   = "status.orderID"
)

// The fields for finding the objects that make one request.
const (
	ServiceRef = "spec.serviceRef.name"
	TestedID   = "spec.serviceID" // of tests that may still be sent or are in progress
	TestUID    = "metadata.uid"
	WaitsFor   = "status.ledger.name" // of tests that wait until another has ended
)

// indexed has the fields for listing objects of a kind.
type indexed struct {
	object client.Object
	fields map[string]client.IndexerFunc
}

func indexes() []indexed {
	queries := map[string]client.IndexerFunc{Account: accountOf, ServiceRef: serviceRefOf}
	return []indexed{
		{&v1alpha1.CarrierAccount{}, map[string]client.IndexerFunc{AccountLogin: accountLoginOf}},
		{&v1alpha1.BroadbandService{}, map[string]client.IndexerFunc{
			Account: accountOf, ServiceID: serviceIDOf, LearnedID: learnedIDOf, OrderRef: orderRefOf,
		}},
		{&v1alpha1.ServiceOrder{}, map[string]client.IndexerFunc{
			Account: accountOf, Reference: referenceOf, OrderID: orderIDOf,
		}},
		{&v1alpha1.RequestLedger{}, map[string]client.IndexerFunc{
			Login: ledgerLoginOf, LedgerReference: ledgerReferenceOf, LedgerService: ledgerServiceOf,
			AwaitsRelease: awaitsReleaseOf,
		}},
		{&v1alpha1.AppointmentRequest{}, map[string]client.IndexerFunc{
			Account: accountOf, OrderRef: orderRefOf,
		}},
		{&v1alpha1.DiagnosticTest{}, map[string]client.IndexerFunc{
			Account: accountOf, ServiceRef: serviceRefOf, TestedID: testedIDOf,
			TestUID: uidOf, WaitsFor: waitsForOf,
		}},
		{&v1alpha1.FibreBuildQuote{}, queries},
		{&v1alpha1.PlanOptionsQuery{}, queries},
		{&v1alpha1.HealthCheck{}, queries},
	}
}

// Fields indexes the fields that the controllers list by. It must be called before the cache that the
// controllers read from starts.
func Fields(ctx context.Context, indexer client.FieldIndexer) error {
	for _, kind := range indexes() {
		for field, values := range kind.fields {
			if err := indexer.IndexField(ctx, kind.object, field, values); err != nil {
				return fmt.Errorf("index %T by %s: %w", kind.object, field, err)
			}
		}
	}
	return nil
}

func accountLoginOf(object client.Object) []string {
	account, is := object.(*v1alpha1.CarrierAccount)
	if !is {
		return nil
	}
	return []string{LoginKey(account.Login())}
}

func ledgerLoginOf(object client.Object) []string {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || ledger.Spec.Account != nil {
		return nil
	}
	return []string{LoginKey(ledger.Spec.Login)}
}

func ledgerReferenceOf(object client.Object) []string {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || ledger.Spec.Order == nil {
		return nil
	}
	return []string{ledger.Spec.Order.CustomerReference}
}

func ledgerServiceOf(object client.Object) []string {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || ledger.Spec.Service == nil {
		return nil
	}
	return []string{string(ledger.Spec.Service.ID)}
}

// accountOf returns the account of an object of any kind that sends requests.
func accountOf(object client.Object) []string {
	subject, isSubject := object.(interface{ AccountName() string })
	if !isSubject {
		return nil
	}
	return []string{subject.AccountName()}
}

// orderRefOf returns the order that a service comes from, or that an appointment-request is for.
func orderRefOf(object client.Object) []string {
	var ref *v1alpha1.OrderReference
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		ref = object.Spec.OrderRef
	case *v1alpha1.AppointmentRequest:
		ref = object.Spec.OrderRef
	}
	if ref == nil {
		return nil
	}
	return []string{ref.Name}
}

func serviceIDOf(object client.Object) []string {
	service, isService := object.(*v1alpha1.BroadbandService)
	if !isService || service.Spec.ServiceID == "" {
		return nil
	}
	return []string{string(service.Spec.ServiceID)}
}

// learnedIDOf returns the number that a service took from its order.
func learnedIDOf(object client.Object) []string {
	service, isService := object.(*v1alpha1.BroadbandService)
	if !isService || service.Spec.ServiceID != "" || service.Status.ServiceID == "" {
		return nil
	}
	return []string{string(service.Status.ServiceID)}
}

func serviceRefOf(object client.Object) []string {
	shot, is := object.(interface {
		NamedService() (v1alpha1.CarrierID, *v1alpha1.ServiceReference)
	})
	if !is {
		return nil
	}
	if _, ref := shot.NamedService(); ref != nil {
		return []string{ref.Name}
	}
	return nil
}

func referenceOf(object client.Object) []string {
	order, isOrder := object.(*v1alpha1.ServiceOrder)
	if !isOrder {
		return nil
	}
	return []string{order.Spec.CustomerReference}
}

// orderIDOf returns the carrier's number for an order.
func orderIDOf(object client.Object) []string {
	order, isOrder := object.(*v1alpha1.ServiceOrder)
	if !isOrder || order.Status.OrderID == "" {
		return nil
	}
	return []string{string(order.Status.OrderID)}
}

func testedIDOf(object client.Object) []string {
	test, is := object.(*v1alpha1.DiagnosticTest)
	if !is || test.Spec.ServiceID == "" || !oneshots.MayContinue(test) {
		return nil
	}
	return []string{string(test.Spec.ServiceID)}
}

func uidOf(object client.Object) []string { return []string{string(object.GetUID())} }

func waitsForOf(object client.Object) []string {
	test, is := object.(*v1alpha1.DiagnosticTest)
	if !is || test.Status.Ledger == nil || !oneshots.WaitsInLane(test) {
		return nil
	}
	return []string{test.Status.Ledger.Name}
}

func awaitsReleaseOf(object client.Object) []string {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || !ledger.AwaitsRelease() {
		return nil
	}
	return []string{True}
}

// LoginKey returns the value of the fields Login and AccountLogin for a login.
func LoginKey(login v1alpha1.CarrierLogin) string { return login.BaseURL + " " + login.ClientName }
