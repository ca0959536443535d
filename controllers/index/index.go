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
	queries := map[string]client.IndexerFunc{Account: by(requester.AccountName), ServiceRef: by(serviceRefOf)}
	return []indexed{
		{&v1alpha1.CarrierAccount{}, map[string]client.IndexerFunc{AccountLogin: by(accountLoginOf)}},
		{&v1alpha1.BroadbandService{}, map[string]client.IndexerFunc{
			Account: by(requester.AccountName), ServiceID: by(serviceIDOf), LearnedID: by(learnedIDOf),
			OrderRef: by(orderRefOfService),
		}},
		{&v1alpha1.ServiceOrder{}, map[string]client.IndexerFunc{
			Account: by(requester.AccountName), Reference: by(referenceOf), OrderID: by(orderIDOf),
		}},
		{&v1alpha1.RequestLedger{}, map[string]client.IndexerFunc{
			Login: by(ledgerLoginOf), LedgerReference: by(ledgerReferenceOf), LedgerService: by(ledgerServiceOf),
			AwaitsRelease: by(awaitsReleaseOf),
		}},
		{&v1alpha1.AppointmentRequest{}, map[string]client.IndexerFunc{
			Account: by(requester.AccountName), OrderRef: by(orderRefOfAppointment),
		}},
		{&v1alpha1.DiagnosticTest{}, map[string]client.IndexerFunc{
			Account: by(requester.AccountName), ServiceRef: by(serviceRefOf), TestedID: by(testedIDOf),
			TestUID: by(uidOf), WaitsFor: by(waitsForOf),
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

// by returns a function that indexes an object by one value, or not at all if that is empty.
func by[O any](value func(O) string) client.IndexerFunc {
	return func(object client.Object) []string {
		one, ok := object.(O)
		if !ok {
			return nil
		}
		if field := value(one); field != "" {
			return []string{field}
		}
		return nil
	}
}

// requester is an object that sends requests.
type requester interface{ AccountName() string }

// serviceUser is an object that may name a BroadbandService.
type serviceUser interface {
	NamedService() (v1alpha1.CarrierID, *v1alpha1.ServiceReference)
}

func accountLoginOf(account *v1alpha1.CarrierAccount) string { return LoginKey(account.Login()) }

func ledgerLoginOf(ledger *v1alpha1.RequestLedger) string {
	if ledger.Spec.Account != nil {
		return ""
	}
	return LoginKey(ledger.Spec.Login)
}

func ledgerReferenceOf(ledger *v1alpha1.RequestLedger) string {
	if ledger.Spec.Order == nil {
		return ""
	}
	return ledger.Spec.Order.CustomerReference
}

func ledgerServiceOf(ledger *v1alpha1.RequestLedger) string {
	if ledger.Spec.Service == nil {
		return ""
	}
	return string(ledger.Spec.Service.ID)
}

func awaitsReleaseOf(ledger *v1alpha1.RequestLedger) string {
	if !ledger.AwaitsRelease() {
		return ""
	}
	return True
}

func orderRefOfService(service *v1alpha1.BroadbandService) string {
	return nameIn(service.Spec.OrderRef)
}

func orderRefOfAppointment(request *v1alpha1.AppointmentRequest) string {
	return nameIn(request.Spec.OrderRef)
}

func nameIn(ref *v1alpha1.OrderReference) string {
	if ref == nil {
		return ""
	}
	return ref.Name
}

func serviceIDOf(service *v1alpha1.BroadbandService) string { return string(service.Spec.ServiceID) }

// learnedIDOf returns the number that a service took from its order.
func learnedIDOf(service *v1alpha1.BroadbandService) string {
	if service.Spec.ServiceID != "" {
		return ""
	}
	return string(service.Status.ServiceID)
}

func serviceRefOf(object serviceUser) string {
	if _, ref := object.NamedService(); ref != nil {
		return ref.Name
	}
	return ""
}

func referenceOf(order *v1alpha1.ServiceOrder) string { return order.Spec.CustomerReference }

// orderIDOf returns the carrier's number for an order.
func orderIDOf(order *v1alpha1.ServiceOrder) string { return string(order.Status.OrderID) }

func testedIDOf(test *v1alpha1.DiagnosticTest) string {
	if !oneshots.MayContinue(test) {
		return ""
	}
	return string(test.Spec.ServiceID)
}

func uidOf(test *v1alpha1.DiagnosticTest) string { return string(test.UID) }

func waitsForOf(test *v1alpha1.DiagnosticTest) string {
	if test.Status.Ledger == nil || !oneshots.WaitsInLane(test) {
		return ""
	}
	return test.Status.Ledger.Name
}

// LoginKey returns the value of the fields Login and AccountLogin for a login.
func LoginKey(login v1alpha1.CarrierLogin) string { return login.BaseURL + " " + login.ClientName }
