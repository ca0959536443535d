// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// asRecorded returns an object with its recorded attempts. For an order or a service these are in
// its ledger: the status only shows them, and may be late.
func asRecorded(ctx context.Context, from client.Reader, subject Subject) Subject {
	ledger := ledgerOf(ctx, from, subject)
	if ledger != nil && ledger.Spec.Diagnostics == nil && ledger.Spec.Holder.UID != string(subject.GetUID()) {
		ledger = nil
	}
	switch object := subject.(type) {
	case *v1alpha1.ServiceOrder:
		object.Status.Request = nil
		if ledger != nil {
			object.Status.Request = ledger.RequestOf(v1alpha1.OperationOrderCreate)
		}
	case *v1alpha1.BroadbandService:
		object.ShowLedger(ledger)
	case *v1alpha1.DiagnosticTest:
		object.Status.Request = ledger.AttemptOf(string(object.UID))
	}
	return subject
}

// ledgerOf returns the ledger of an order or a service, or nil.
func ledgerOf(ctx context.Context, from client.Reader, subject Subject) *v1alpha1.RequestLedger {
	var account v1alpha1.CarrierAccount
	key := client.ObjectKey{Namespace: subject.GetNamespace(), Name: subject.AccountName()}
	if from.Get(ctx, key, &account) != nil {
		return nil
	}
	field, id := subjectField(subject)
	if id == "" {
		return nil
	}
	var ledgers v1alpha1.RequestLedgerList
	must(from.List(ctx, &ledgers, client.MatchingFields{field: id}))
	for i, ledger := range ledgers.Items {
		if ledger.Spec.Login == account.Login() {
			return &ledgers.Items[i]
		}
	}
	return nil
}

// subjectField returns the field of a ledger that identifies its subject, and the value for an object;
// "" if the object has no ledger.
func subjectField(subject Subject) (field, id string) {
	switch object := subject.(type) {
	case *v1alpha1.ServiceOrder:
		return "spec.order.customerReference", object.Spec.CustomerReference
	case *v1alpha1.BroadbandService:
		return "spec.service.id", string(object.ServiceNumber())
	case *v1alpha1.DiagnosticTest:
		return "spec.diagnostics.id", string(object.Spec.ServiceID)
	}
	return "", ""
}

// inLedger returns an object that has only the attempts of its ledger; nil if there is no ledger.
func inLedger(object client.Object) Subject {
	ledger, is := object.(*v1alpha1.RequestLedger)
	switch {
	case !is:
		return nil
	case ledger.Spec.Service != nil:
		service := &v1alpha1.BroadbandService{}
		service.ShowLedger(ledger)
		return service
	}
	order := &v1alpha1.ServiceOrder{}
	order.Status.Request = ledger.RequestOf(v1alpha1.OperationOrderCreate)
	return order
}

// recorded reports whether a ledger contains an attempt.
func recorded(ctx context.Context, cluster client.Reader, attempt string) bool {
	var ledgers v1alpha1.RequestLedgerList
	must(cluster.List(ctx, &ledgers))
	return slices.ContainsFunc(ledgers.Items, func(ledger v1alpha1.RequestLedger) bool {
		text, err := json.Marshal(ledger)
		must(err)
		return strings.Contains(string(text), attempt)
	})
}
