// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// bodyCase is a request with each field of its body, and the rows that a person approves for it.
type bodyCase struct {
	request any // the type of pkg/carrier that has the fields
	body    []byte
	rows    []v1alpha1.Change
}

// notShown lists the fields of bodies that need no row, with the reason.
var notShown = map[string]string{
	"serviceId":            "the number of the service that the object is about",
	"appointmentRequestId": "the number of the appointment request that the object is about",
}

// queries are the operations whose requests nobody approves: they cost nothing and change nothing.
var queries = []carrier.Operation{
	carrier.AppointmentSlots, carrier.FibreBuildCharge, carrier.PlanOptions, carrier.Health,
}

// Whatever a body says is a row that a person sees: each field of each body of each operation that the
// operator can build is compared with the rows. A field or an operation that is new fails here.
func TestEveryValueOfEveryBodyIsARow(t *testing.T) {
	t.Parallel()
	cases := bodyCases()
	for contract := range carrier.Contracts() {
		given, has := cases[contract.Operation]
		switch isQuery := slices.Contains(queries, contract.Operation); {
		case isQuery && contract.Repeat != carrier.ClassQuery:
			t.Errorf("%s is no query", contract.Operation)
		case !isQuery && !has:
			t.Errorf("%s has no case", contract.Operation)
		case has:
			given.check(t, contract.Operation)
		}
	}
}

// check compares a body, in which every field of the request is set, with the rows.
func (c bodyCase) check(t *testing.T, operation carrier.Operation) {
	t.Helper()
	values := map[string]any{}
	if err := json.Unmarshal(c.body, &values); err != nil {
		t.Fatalf("%s: %v in %s", operation, err, c.body)
	}
	delete(values, "sourceType") // the same in each order, whatever the spec
	if fields := reflect.TypeOf(c.request).NumField(); len(values) != fields {
		t.Errorf("%s: the case has %d fields of %d: %v", operation, len(values), fields, slices.Sorted(maps.Keys(values)))
	}
	for name, value := range values {
		if notShown[name] == "" && !isShown(c.rows, name, fmt.Sprint(value)) {
			t.Errorf("%s: no row shows %s %v: %+v", operation, name, value, c.rows)
		}
	}
}

// isShown reports whether a row shows a value. Of a contact, which is not shown, a row says where it
// comes from. The NTD option is part of the row of what it is bought with.
func isShown(rows []v1alpha1.Change, field, value string) bool {
	return slices.ContainsFunc(rows, func(row v1alpha1.Change) bool {
		if strings.HasPrefix(field, "contact") {
			return row.Field == "contact" || row.Field == decide.FieldContact
		}
		return strings.Contains(row.To, value) || row.NTDOption != nil && row.NTDOption.Option == value
	})
}

func bodyCases() map[carrier.Operation]bodyCase {
	to := v1alpha1.Contact{Name: "Ann", Phone: "0400 000 000", Email: "ann@example.com"}
	cases := map[carrier.Operation]bodyCase{ //nolint:exhaustive // those of a service follow; queries have none
		carrier.OrderCreate: orderCase(to),
		carrier.AppointmentCancel: {
			carrier.AppointmentCancelRequest{}, carrier.AppointmentCancelRequest{AppointmentRequestID: 7}.Body(), nil,
		},
		carrier.DiagnosticTest: {
			carrier.DiagnosticTestRequest{},
			carrier.DiagnosticTestRequest{ServiceID: 1234567, TestType: "port-reset"}.Body(),
			[]v1alpha1.Change{{Operation: v1alpha1.OperationDiagnosticTest, Field: "testType", To: "port-reset"}},
		},
	}
	for _, one := range []struct {
		operation carrier.Operation
		request   any
		edit      func(*v1alpha1.BroadbandService)
	}{
		{carrier.PlanChange, carrier.PlanChangeRequest{}, func(service *v1alpha1.BroadbandService) {
			service.Spec.Plan = &v1alpha1.Plan{Name: "Fast", Term: 36, NTDOption: "4_PORT", Contact: &to}
			service.Spec.RestorationSLA = "Gold"
		}},
		{carrier.AggregationConversion, carrier.AggregationConversionRequest{}, func(service *v1alpha1.BroadbandService) {
			service.Spec.AggregationMethod = "ETHERNET"
		}},
		{
			carrier.DSLStabilityProfileChange,
			carrier.DSLStabilityProfileChangeRequest{},
			func(service *v1alpha1.BroadbandService) { service.Spec.DSLStabilityProfile = "Stable" },
		},
		{carrier.Reclaim, carrier.ReclaimRequest{}, func(service *v1alpha1.BroadbandService) {
			service.Spec.Disconnection = v1alpha1.DisconnectionReclaim
			service.Status.Carrier.Cancellation.Cancelled = true
		}},
		{carrier.CancellationReschedule, carrier.CancellationRescheduleRequest{}, func(service *v1alpha1.BroadbandService) {
			service.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: "2026-12-24"}
		}},
		{carrier.CancellationAbort, carrier.CancellationAbortRequest{}, func(service *v1alpha1.BroadbandService) {
			service.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationNever}
		}},
	} {
		cases[one.operation] = serviceCase(one.operation, one.request, one.edit, to)
	}
	return cases
}

// serviceCase decides about a service of which only the plan and a pending cancellation are known.
func serviceCase(
	operation carrier.Operation, request any, edit func(*v1alpha1.BroadbandService), to v1alpha1.Contact,
) bodyCase {
	service := &v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{Name: "site", Namespace: "shop", UID: "u-1", Generation: 1},
		Spec:       v1alpha1.BroadbandServiceSpec{ServiceID: "1234567"},
		Status: v1alpha1.BroadbandServiceStatus{Carrier: &v1alpha1.CarrierState{
			Plan: &v1alpha1.KnownValue{
				Value: "Slow", Source: v1alpha1.SourceChangeResult, Since: metav1.NewTime(decidetest.Start()),
			},
			Cancellation: &v1alpha1.CancellationState{
				PendingDate: "2026-12-31", RequestDate: "2026-12-31", Status: "REQUESTED",
				CanAbort: true, CanReschedule: true,
			},
		}},
	}
	edit(service)
	in := services.Input{Service: service, Input: decidetest.Input(service)}
	given := bodyCase{request: request}
	for _, want := range services.WantedRequests(&in) {
		if want.Operation == v1alpha1.Operation(operation) {
			given.body = services.Body(want.Operation, service.ServiceNumber(), want.Target, to)
			given.rows = want.Changes
		}
	}
	return given
}

// orderCase is an order with each field of its body.
func orderCase(to v1alpha1.Contact) bodyCase {
	port, waiver, text := int64(3), true, "blue"
	spec := &v1alpha1.ServiceOrderSpec{
		CustomerReference: "SITE-14", Scenario: v1alpha1.ScenarioInUse, PlanName: "Home 100/20", Term: 12,
		TrafficClass: "tc4", ProductType: "Access Only", RestorationSLA: "Standard", AggregationMethod: "L2TP",
		Qualification: v1alpha1.QualificationIDs{
			QualificationSearchID: "Q-1", RemoteQualificationSearchID: "RQ-2", LocationID: "LOC000012345678",
		},
		Infrastructure: &v1alpha1.OrderedInfrastructure{ID: "NTD-9", PortID: &port}, NTDInstallation: "Self",
		VLAN:     &v1alpha1.VLAN{Required: true, ID: 77},
		Transfer: &v1alpha1.Transfer{Type: "SERVICE_TRANSFER", AVCID: "AVC000000000001"}, Contact: &to,
		POTS: &v1alpha1.POTS{ServiceOwner: true, Waiver: &waiver}, QuoteName: "quote", NTDOption: "4_PORT",
		ExtraFields: []v1alpha1.ExtraField{{Name: "color", Text: &text}},
	}
	return bodyCase{carrier.OrderRequest{}, orders.Body(spec, "RO-3", to), orders.Rows(spec, "RO-3", "")}
}
