// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The fields by which ledgers are found.
const (
	fieldIdentity        = "spec.identity"
	fieldLedgerReference = "spec.order.customerReference"
	fieldLedgerService   = "spec.service.id"
)

// indexed has the fields by which objects of a kind are listed.
type indexed struct {
	object client.Object
	fields map[string]client.IndexerFunc
}

func indexes() []indexed {
	asksOnce := map[string]client.IndexerFunc{fieldAccount: accountOf, fieldServiceRef: serviceNamed}
	return []indexed{
		{&v1alpha1.BroadbandService{}, map[string]client.IndexerFunc{
			fieldAccount: accountOf, fieldServiceID: serviceIDOf, fieldLearnedID: learnedIDOf, fieldOrderRef: orderRefOf,
		}},
		{&v1alpha1.ServiceOrder{}, map[string]client.IndexerFunc{
			fieldAccount: accountOf, fieldReference: referenceOf, fieldOrderID: orderIDOf,
		}},
		{&v1alpha1.RequestLedger{}, map[string]client.IndexerFunc{
			fieldIdentity: identityOf, fieldLedgerReference: ledgerReferenceOf, fieldLedgerService: ledgerServiceOf,
			fieldLogin: loginsOf,
		}},
		{&v1alpha1.AppointmentRequest{}, map[string]client.IndexerFunc{fieldAccount: accountOf}},
		{&v1alpha1.DiagnosticTest{}, map[string]client.IndexerFunc{
			fieldAccount: accountOf, fieldServiceRef: serviceNamed, fieldTestedID: testedIDOf,
			fieldTestUID: uidOf, fieldWaitsFor: waitsForOf,
		}},
		{&v1alpha1.FibreBuildQuote{}, asksOnce},
		{&v1alpha1.PlanOptionsQuery{}, asksOnce},
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

func identityOf(object client.Object) []string {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is {
		return nil
	}
	return []string{ledger.Spec.Identity}
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
