// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// indexed are the fields by which objects of a kind are listed.
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
		{&v1alpha1.AppointmentRequest{}, map[string]client.IndexerFunc{fieldAccount: accountOf}},
		{&v1alpha1.DiagnosticTest{}, asksOnce},
		{&v1alpha1.FibreBuildQuote{}, asksOnce},
		{&v1alpha1.PlanOptionsQuery{}, asksOnce},
	}
}

// IndexFields lets a cache find objects by the fields that the controllers list by. A cache that
// the controllers read from needs it before it starts.
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
