package carrier

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goldens are the documents transcribed from the field tables of spec §2, each with its decoder.
func goldens() map[string]func([]byte) (any, error) {
	return map[string]func([]byte) (any, error){
		"plan-change.json":                  erase(DecodePlanChange),
		"plan-change-alternate.json":        erase(DecodePlanChange),
		"plan-options.json":                 erase(DecodePlanOptions),
		"aggregation-conversion.json":       erase(DecodeAggregationConversion),
		"dsl-stability-profile-change.json": erase(DecodeDSLStabilityProfileChange),
		"fibre-build-charge.json":           erase(DecodeFibreBuildCharge),
		"reclaim.json":                      erase(DecodeReclaim),
		"appointment-slots.json":            erase(DecodeAppointmentSlots),
		"diagnostic-test.json":              erase(DecodeDiagnosticTest),
		"service-cancellation.json":         erase(DecodeCancellation),
		"health-8.json":                     erase(atVersion(8)),
		"health-5.json":                     erase(atVersion(5)),
		"health-5-pending.json":             erase(atVersion(5)),
		"disruptions.json":                  erase(DecodeDisruptions),
		"order.json":                        erase(DecodeOrder),
		"qualification.json":                erase(DecodeQualification),
	}
}

func erase[T any](decode func([]byte) (T, error)) func([]byte) (any, error) {
	return func(body []byte) (any, error) { return decode(body) }
}

func atVersion(version int) func([]byte) (HealthResult, error) {
	return func(body []byte) (HealthResult, error) { return DecodeHealth(version, body) }
}

// TestGoldenDocumentsFillEveryField: nothing of a field table is missing in the Go type, and
// nothing of the Go type is filled from elsewhere.
func TestGoldenDocumentsFillEveryField(t *testing.T) {
	partial := []string{"plan-change-alternate.json", "health-5-pending.json"}
	for name, decodeGolden := range goldens() {
		got, err := decodeGolden(golden(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Contains(partial, name) {
			for _, path := range emptyFields(reflect.ValueOf(got), name) {
				t.Errorf("%s is empty", path)
			}
		}
	}
}

// emptyFields lists the fields that nothing has set. Of a list, one element that sets a field is
// enough.
func emptyFields(v reflect.Value, path string) (empty []string) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Slice && v.Len() > 0 {
		v = v.Index(0)
	}
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			empty = append(empty, emptyFields(v.Field(i), path+"."+v.Type().Field(i).Name)...)
		}
		return empty
	case v.IsZero() && !isAllowedEmpty(path):
		return []string{path}
	}
	return nil
}

// isAllowedEmpty: the first infrastructure of the document is an NTD, so it is no copper pair; and a
// flag may be false.
func isAllowedEmpty(path string) bool {
	return path == "qualification.json.Infrastructures.CopperPair" || strings.HasSuffix(path, ".AVCIDMatch")
}

func TestGoldenDocumentsHaveNoUnknownKey(t *testing.T) {
	for name, decodeGolden := range goldens() {
		got, err := decodeGolden(golden(t, name))
		if err != nil || name == "health-5.json" || name == "health-5-pending.json" || name == "qualification.json" {
			continue // their own shapes are compared elsewhere
		}
		into := reflect.New(reflect.TypeOf(got))
		d, _ := parseDocument(golden(t, name))
		for _, path := range unknownKeys(into.Elem().Type(), d, name) {
			t.Errorf("%s has no field", path)
		}
	}
}

// unknownKeys lists the keys of a document for which a type has no field.
func unknownKeys(t reflect.Type, d document, path string) (unknown []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		for element := range d.elements() {
			unknown = append(unknown, unknownKeys(t.Elem(), element, path)...)
		}
	}
	if t.Kind() != reflect.Struct {
		return unknown
	}
	fields := newReader().fieldsOf(t)
	for key, value := range d.members() {
		if i, ok := fields[key]; ok {
			unknown = append(unknown, unknownKeys(t.Field(i).Type, value, path+"."+key)...)
		} else {
			unknown = append(unknown, path+"."+key)
		}
	}
	return unknown
}

func TestHealthHasOneShape(t *testing.T) {
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
	pending, err := DecodeHealth(5, golden(t, "health-5-pending.json"))
	if err != nil || pending.Status != HealthInProgress || pending.Plan != "" {
		t.Errorf("in progress at version 5: %+v, %v", pending, err)
	}
}

func TestInfrastructureHasTwoShapes(t *testing.T) {
	q, err := DecodeQualification(golden(t, "qualification.json"))
	if err != nil || len(q.Infrastructures) != 2 {
		t.Fatalf("%d infrastructures, %v", len(q.Infrastructures), err)
	}
	ntd, copper := q.Infrastructures[0], q.Infrastructures[1]
	if ntd.NTD == nil || ntd.CopperPair != nil || !ntd.NTD.Ports[0].InUse() {
		t.Errorf("the first is no NTD with a port in use: %+v", ntd)
	}
	if copper.CopperPair == nil || copper.NTD != nil || !copper.CopperPair.InUse() {
		t.Errorf("the second is no copper pair in use: %+v", copper)
	}
	for _, path := range emptyFields(reflect.ValueOf(*copper.CopperPair), "copper") {
		t.Errorf("%s is empty", path)
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
		t.Error("the contact is lost")
	}
}

func TestDiagnosticPortReset(t *testing.T) {
	got, err := DecodeDiagnosticTest(golden(t, "diagnostic-test.json"))
	if err != nil {
		t.Fatal(err)
	}
	reset, ok := got.Result.PortReset()
	if want := (PortReset{"WRI1", "Passed", "2021-05-21 10:31:00", "2021-05-21 10:37:00"}); !ok || reset != want {
		t.Errorf("%+v, %t; want %+v", reset, ok, want)
	}
	if !json.Valid(got.Result.Result) {
		t.Errorf("the free-form result is not kept as JSON: %s", got.Result.Result)
	}
	if _, ok := (DiagnosticRun{}).PortReset(); ok {
		t.Error("nothing was read as a port reset")
	}
}
