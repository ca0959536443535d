package carrier

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// goldens are the documents transcribed from the field tables of spec §2, each with its decoder.
func goldens() map[string]func([]byte) (any, error) {
	return map[string]func([]byte) (any, error){
		"plan-change.json":           untyped(DecodePlanChange),
		"plan-change-alternate.json": untyped(DecodePlanChange),
		"plan-options.json":          untyped(DecodePlanOptions),
		"fibre-build-charge.json":    untyped(DecodeFibreBuildCharge),
		"appointment-slots.json":     untyped(DecodeAppointmentSlots),
		"diagnostic-test.json":       untyped(DecodeDiagnosticTest),
		"service-cancellation.json":  untyped(DecodeCancellation),
		"health-8.json":              untyped(atVersion(8)),
		"health-5.json":              untyped(atVersion(5)),
		"health-5-pending.json":      untyped(atVersion(5)),
		"disruptions.json":           untyped(decodeDisruptions),
		"order.json":                 untyped(DecodeOrder),
		"order-read.json":            untyped(DecodeOrder),
		"order-rejected.json":        untyped(DecodeOrder),
		"qualification.json":         untyped(decodeQualification),
		"service.json":               untyped(decodeService),
	}
}

func untyped[T any](decode func([]byte) (T, error)) func([]byte) (any, error) {
	return func(body []byte) (any, error) { return decode(body) }
}

func atVersion(version int) func([]byte) (HealthResult, error) {
	return func(body []byte) (HealthResult, error) { return DecodeHealth(version, body) }
}

// decodeDisruptions decodes a page.
func decodeDisruptions(body []byte) (DisruptionPage, error) { return decode[DisruptionPage]("", body) }

// decodeService decodes a service.
func decodeService(body []byte) (Service, error) { return decode[Service]("", body) }

// decodeQualification decodes a document in the specification's word.
func decodeQualification(body []byte) (Qualification, error) { return DecodeQualification("", body) }

// emptyBySpecification has the fields that have no value in a document because the specification
// says so: those of the alternate source's plan change (spec §2), and of version 5's health in
// progress, whose "content fields" are null. Of the orders, only a rejected one has a reason for
// the rejection. InProgress of a cancellation is in the status of the response.
var emptyBySpecification = map[string][]string{
	"plan-change-alternate.json": {
		"ContactName", "ContactPhone", "ContactEmail", "Plan.RequiresAdditionalNTD",
		"Plan.RequiresAdditionalNTDReason", "Plan.NFASFee", "Plan.NTDOptions",
	},
	"service-cancellation.json": {"InProgress"},
	"service.json":              {"Modifications"}, // there are none

	"order.json":          {"RejectedReason", "RejectedOn"},
	"order-read.json":     {"IsCancellable", "RejectedReason", "RejectedOn"},
	"order-rejected.json": {"AVCID", "Appointments", "ServiceID", "IsCancellable"},
	"health-5-pending.json": {
		"LastRefreshedOn", "WholesaleServiceID", "TechnologyType", "Plan", "LocationID", "AVCID", "PRIID", "HRIID",
		"ErrorDetail", "CurrentCondition", "NextAction", "Indicator", "HealthCategories",
	},
}

// TestGoldenDocumentsFillEveryField: the Go type has every field of a field table, and no other.
func TestGoldenDocumentsFillEveryField(t *testing.T) {
	for name, decodeGolden := range goldens() {
		got, err := decodeGolden(golden(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		empty := emptyFields([]reflect.Value{reflect.ValueOf(got)}, "")
		if diff := cmp.Diff(emptyBySpecification[name], empty); diff != "" {
			t.Errorf("%s: empty fields (-want +got):\n%s", name, diff)
		}
	}
}

// emptyFields lists the fields that none of the values sets. All values have the same type. Not
// each element of a list has to set every field, but all of them together have to.
func emptyFields(values []reflect.Value, path string) (empty []string) {
	values = slices.DeleteFunc(flat(values), reflect.Value.IsZero)
	switch {
	case len(values) == 0:
		return []string{strings.TrimPrefix(path, ".")}
	case values[0].Kind() != reflect.Struct:
		return nil
	}
	for i := range values[0].NumField() {
		var field []reflect.Value
		for _, v := range values {
			field = append(field, v.Field(i))
		}
		empty = append(empty, emptyFields(field, path+"."+values[0].Type().Field(i).Name)...)
	}
	return empty
}

// flat returns the elements of lists and the targets of pointers to structs. A pointer to a flag
// that is false counts as set.
func flat(values []reflect.Value) (flattened []reflect.Value) {
	for _, v := range values {
		switch {
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
			for i := range v.Len() {
				flattened = append(flattened, v.Index(i))
			}
		case v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct:
			flattened = append(flattened, v.Elem())
		default:
			flattened = append(flattened, v)
		}
	}
	return flattened
}

func TestGoldenDocumentsHaveNoUnknownKey(t *testing.T) {
	for name, decodeGolden := range goldens() {
		got, err := decodeGolden(golden(t, name))
		if err != nil {
			t.Fatal(err)
		}
		d, err := jsondoc.Parse(golden(t, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range unknownKeys(reflect.TypeOf(got), d, name) {
			t.Errorf("%s has no field", path)
		}
	}
}

// unknownKeys lists the keys of a document for which a type has no field.
func unknownKeys(t reflect.Type, d jsondoc.Value, path string) (unknown []string) {
	switch {
	case t.Kind() == reflect.Pointer:
		return unknownKeys(t.Elem(), d, path)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		for element := range d.Elements() {
			unknown = append(unknown, unknownKeys(t.Elem(), element, path)...)
		}
		return unknown
	case t.Kind() != reflect.Struct:
		return nil
	}
	fields := wireFields(t)
	for key, value := range d.Members() {
		if field, ok := fields[key]; ok {
			unknown = append(unknown, unknownKeys(field, value, path+"."+key)...)
		} else {
			unknown = append(unknown, path+"."+key)
		}
	}
	return unknown
}

// wireFields are the keys that a type reads, with the types of their values. For a type with its
// own decoder, they are the keys of all forms that the decoder accepts.
func wireFields(t reflect.Type) map[string]reflect.Type {
	shapes := map[reflect.Type][]reflect.Type{
		reflect.TypeFor[Infrastructure](): {reflect.TypeFor[NTD](), reflect.TypeFor[CopperPair]()},
		reflect.TypeFor[HealthResult]():   {reflect.TypeFor[healthVersion5]()},
	}
	fields := make(map[string]reflect.Type)
	for _, shape := range append(shapes[t], t) {
		for key, i := range newReader().fieldsOf(shape) {
			fields[key] = shape.Field(i).Type
		}
	}
	return fields
}

// TestGoldenErrors: the standard error body of spec §7, for each status that has one.
func TestGoldenErrors(t *testing.T) {
	for name, want := range map[string]Error{
		"error-400.json": {
			Type: TypeClientValidation, Code: CodeArgumentTypeMismatch, Message: "The id has to be a number",
			Timestamp: reported,
		},
		"error-404.json": {Type: TypeBusinessRule, Code: CodeResourceNotFound, Message: "Not found", Timestamp: reported},
		"error-502.json": {
			Type: TypeRemoteCall, Code: CodeRemoteCallError, Message: "An upstream service is down", Timestamp: reported,
		},
		"error-422-fields.json": {
			Type: TypeClientValidation, Code: CodeArgumentNotValid, Message: "Two fields are not valid",
			Timestamp: reported,
			SubErrors: []SubError{
				{Code: SubNotNull, Message: "must not be null", Object: "Request", Field: "dateFrom"},
				{Code: SubPattern, Message: "must match", Object: "Request", Field: "locationId", RejectedValue: "LOC1"},
			},
		},
	} {
		got := readError(golden(t, name), nil)
		if diff := cmp.Diff(&want, got, cmp.AllowUnexported(Error{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestHealthVersionsDecodeToOneShape(t *testing.T) {
	old, err := DecodeHealth(5, golden(t, "health-5.json"))
	if err != nil {
		t.Fatal(err)
	}
	for version := 6; version <= 8; version++ {
		current, currentErr := DecodeHealth(version, golden(t, "health-8.json"))
		if currentErr != nil {
			t.Fatal(currentErr)
		}
		if diff := cmp.Diff(old, current); diff != "" {
			t.Errorf("version 5 against %d:\n%s", version, diff)
		}
	}
	renamed, err := DecodeHealth(5, golden(t, "health-8.json")) // version 5, with the newer names in the response
	if diff := cmp.Diff(old, renamed); diff != "" || err != nil {
		t.Errorf("newer names at version 5 (%v):\n%s", err, diff)
	}
	pending, err := DecodeHealth(5, golden(t, "health-5-pending.json"))
	if err != nil || pending.Status != HealthInProgress || pending.Plan != "" {
		t.Errorf("in progress at version 5: %+v, %v", pending, err)
	}
}

func TestInfrastructureIsAnNTDOrACopperPair(t *testing.T) {
	q, err := decodeQualification(golden(t, "qualification.json"))
	if err != nil || len(q.Infrastructures) != 3 {
		t.Fatalf("%d infrastructures, %v", len(q.Infrastructures), err)
	}
	checkNTD(t, q.Infrastructures[0])
	// Order rule 8: when one status is set the other is null.
	for i, want := range [][2]string{{LineInUse, ""}, {"", CopperPairActive}} {
		copper := q.Infrastructures[i+1]
		if copper.NTD != nil || copper.CopperPair == nil {
			t.Fatalf("%s is not a copper pair", copper.InfrastructureID)
		}
		got := [2]string{copper.CopperPair.ServiceStatus, copper.CopperPair.CopperPairStatus}
		if got != want || !copper.CopperPair.InUse() {
			t.Errorf("%s: %q, in use %t; want %q in use", copper.InfrastructureID, got, copper.CopperPair.InUse(), want)
		}
	}
}

func checkNTD(t *testing.T, i Infrastructure) {
	t.Helper()
	if i.NTD == nil || i.CopperPair != nil || !i.NTD.Ports[0].InUse() {
		t.Errorf("the first is not an NTD with a port in use: %+v", i)
	}
}

func TestPlanChangeGolden(t *testing.T) {
	got, err := DecodePlanChange(golden(t, "plan-change.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != 9007199254740993 || got.ServiceID != 1234567 || got.Status != PlanChangeCompleted {
		t.Errorf("identity %d, %d, %s", got.ID, got.ServiceID, got.Status)
	}
	if speed := got.Plan.SpeedDown.String(); speed != "2000 MBit/s" {
		t.Errorf("speed %q", speed)
	}
	if cents, ok := got.Plan.PlanFee.MonthlyRecurringCharge.Cents(); !ok || cents != 9550 {
		t.Errorf("monthly fee %d, %t", cents, ok)
	}
	attributes := map[string]string{"plan": "Home Ultrafast", "term": "12"}
	if diff := cmp.Diff(attributes, got.Plan.PlanFee.Attributes); diff != "" {
		t.Errorf("attributes (-want +got):\n%s", diff)
	}
	if got.ContactEmail.Reveal() != "contact@example.com" {
		t.Error("the contact is missing")
	}
}

func TestTheResultOfADiagnosticTestIsKeptAsWritten(t *testing.T) {
	got, err := DecodeDiagnosticTest(golden(t, "diagnostic-test.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(got.Result.Result) || !strings.Contains(string(got.Result.Result), "Passed") {
		t.Errorf("the free-form result is %s", got.Result.Result)
	}
}
