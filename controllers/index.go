// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
)

// The fields for finding ledgers.
const (
	fieldLogin           = "spec.login" // of the ledgers of orders, services and tests
	fieldLedgerReference = "spec.order.customerReference"
	fieldLedgerService   = "spec.service.id"
	fieldAwaitsRelease   = "awaitsRelease" // of ledgers that are being deleted: isSo
)

// isSo is the value of a field that only says whether something applies.
const isSo = "true"

// fieldAccountLogin is the field for finding the accounts with a login.
const fieldAccountLogin = "login"

// The fields for finding services. The API server also supports all of them as field selectors.
const (
	fieldServiceID = "spec.serviceID"
	fieldLearnedID = "status.serviceID"
	fieldAccount   = "spec.accountRef.name"
)

// The fields for finding orders, and the services and appointment-requests that refer to them.
const (
	fieldReference = "spec.customerReference"
	fieldOrderRef  = "spec.orderRef.name"
	fieldOrderID   = "status.orderID"
)

// The fields for finding the objects that make one request.
const (
	fieldServiceRef = "spec.serviceRef.name"
	fieldTestedID   = "spec.serviceID" // of tests that may still be sent or are in progress
	fieldTestUID    = "metadata.uid"
	fieldWaitsFor   = "status.ledger.name" // of tests that wait until another has ended
)

// indexed has the fields for listing objects of a kind.
type indexed struct {
	object client.Object
	fields map[string]client.IndexerFunc
}

func indexes() []indexed {
	queries := map[string]client.IndexerFunc{fieldAccount: accountOf, fieldServiceRef: serviceRefOf}
	return []indexed{
		{&v1alpha1.CarrierAccount{}, map[string]client.IndexerFunc{fieldAccountLogin: accountLoginOf}},
		{&v1alpha1.BroadbandService{}, map[string]client.IndexerFunc{
			fieldAccount: accountOf, fieldServiceID: serviceIDOf, fieldLearnedID: learnedIDOf, fieldOrderRef: orderRefOf,
		}},
		{&v1alpha1.ServiceOrder{}, map[string]client.IndexerFunc{
			fieldAccount: accountOf, fieldReference: referenceOf, fieldOrderID: orderIDOf,
		}},
		{&v1alpha1.RequestLedger{}, map[string]client.IndexerFunc{
			fieldLogin: ledgerLoginOf, fieldLedgerReference: ledgerReferenceOf, fieldLedgerService: ledgerServiceOf,
			fieldAwaitsRelease: awaitsReleaseOf,
		}},
		{&v1alpha1.AppointmentRequest{}, map[string]client.IndexerFunc{
			fieldAccount: accountOf, fieldOrderRef: orderRefOf,
		}},
		{&v1alpha1.DiagnosticTest{}, map[string]client.IndexerFunc{
			fieldAccount: accountOf, fieldServiceRef: serviceRefOf, fieldTestedID: testedIDOf,
			fieldTestUID: uidOf, fieldWaitsFor: waitsForOf,
		}},
		{&v1alpha1.FibreBuildQuote{}, queries},
		{&v1alpha1.PlanOptionsQuery{}, queries},
		{&v1alpha1.HealthCheck{}, queries},
	}
}

// IndexFields indexes the fields that the controllers list by. It must be called before the cache
// that the controllers read from starts.
func IndexFields(ctx context.Context, indexer client.FieldIndexer) error {
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
	return []string{loginKey(account.Login())}
}

func ledgerLoginOf(object client.Object) []string {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || ledger.Spec.Account != nil {
		return nil
	}
	return []string{loginKey(ledger.Spec.Login)}
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
	subject, isSubject := object.(Subject)
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
	shot, is := object.(oneShotSubject)
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
		return []string{""}
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
	if !awaitsRelease(object) {
		return nil
	}
	return []string{isSo}
}

func loginKey(login v1alpha1.CarrierLogin) string { return login.BaseURL + " " + login.ClientName }
