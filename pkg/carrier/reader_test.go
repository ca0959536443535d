package carrier

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// TestReaderAcceptsUndocumentedShapes has one case for each shape that the specification leaves
// open.
func TestReaderAcceptsUndocumentedShapes(t *testing.T) {
	yes := true
	const fee = `{"oneTimeCharge":{"amount":"100.00"}}`
	hundred := &QualifiedSLA{Fees: []Fee{{OneTimeCharge: &Money{Amount: "100.00"}}}}
	product := &Qualification{AvailableProducts: []QualifiedProduct{{ID: "P"}}}
	for name, test := range map[string]struct {
		body      string
		got, want any
	}{
		"a term as a string":           {`{"term":"12"}`, &Plan{}, &Plan{Term: "12"}},
		"a term as a number":           {`{"term":12}`, &Plan{}, &Plan{Term: "12"}},
		"a VLAN as a string":           {`{"vlanId":"100"}`, &Order{}, &Order{VLANID: 100}},
		"a VLAN as a number":           {`{"vlanId":100}`, &Order{}, &Order{VLANID: 100}},
		"a VLAN that is null":          {`{"vlanId":null}`, &Order{}, &Order{}},
		"a port as a number":           {`{"portId":1}`, &NTDPort{}, &NTDPort{PortID: "1"}},
		"a port that is absent":        {`{}`, &NTDPort{}, &NTDPort{}},
		"an id as a string":            {`{"id":"9223372036854775807"}`, &Order{}, &Order{ID: 9223372036854775807}},
		"a class as a number":          {`{"serviceClass":3}`, &Order{}, &Order{ServiceClass: "3"}},
		"a boolean as a string":        {`{"isNfas":"true"}`, &Order{}, &Order{IsNFAS: true}},
		"a boolean or null":            {`{"requiresAdditionalNtd":true}`, &Plan{}, &Plan{RequiresAdditionalNTD: &yes}},
		"a latitude as a number":       {`{"latitude":-33.865143}`, &Qualification{}, &Qualification{Latitude: "-33.865143"}},
		"an unknown field":             {`{"x":{"y":[1,{"z":"}]"}]},"term":"1"}`, &Plan{}, &Plan{Term: "1"}},
		"an unknown enum value":        {`{"status":"PAUSED"}`, &PlanChangeResult{}, &PlanChangeResult{Status: "PAUSED"}},
		"an error detail as an object": {`{"errorDetail":{"a":1}}`, &Cancellation{}, &Cancellation{ErrorDetail: `{"a":1}`}},
		"products as an object":        {`{"availableProducts":{"id":"P"}}`, &Qualification{}, product},
		"fees as an array":             {`{"fees":[` + fee + `]}`, &QualifiedSLA{}, hundred},
		"fees by traffic class":        {`{"fees":{"tc4":[` + fee + `]}}`, &QualifiedSLA{}, hundred},
		"one fee by traffic class":     {`{"fees":{"tc4":` + fee + `}}`, &QualifiedSLA{}, hundred},
		"a lone fee":                   {`{"fees":` + fee + `}`, &QualifiedSLA{}, hundred},
		"an amount as a number":        {`{"amount":100.10}`, &Money{}, &Money{Amount: "100.10"}},
		"a speed without a unit":       {`{"speedDown":100}`, &Plan{}, &Plan{SpeedDown: Speed{Speed: "100"}}},
		"an option by its name":        {`{"ntdOptions":["P"]}`, &Plan{}, &Plan{NTDOptions: []NTDOption{{Option: "P"}}}},
		"an object where a text is":    {`{"sla":{"a":null},"fees":7}`, &QualifiedSLA{}, &QualifiedSLA{SLA: `{"a":null}`}},
		"a list where an object is":    {`{"plan":[1],"id":5}`, &PlanChangeResult{}, &PlanChangeResult{ID: 5}},
		"the last of two equal keys":   {`{"term":"1","term":"2"}`, &Plan{}, &Plan{Term: "2"}},
		"a key in another case":        {`{"TERM":"1"}`, &Plan{}, &Plan{}},
		"a key with an escape":         {`{"te\u0072m":"1"}`, &Plan{}, &Plan{Term: "1"}},
		"invalid UTF-8":                {"{\"term\":\"a\xffb\"}", &Plan{}, &Plan{Term: "a\ufffdb"}},
		"half of a surrogate pair":     {`{"term":"\ud800"}`, &Plan{}, &Plan{Term: "\ufffd"}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := readObject([]byte(test.body), test.got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.body, diff)
			}
		})
	}
}

func TestReaderRefuses(t *testing.T) {
	for body, want := range map[string]error{
		``:                                jsondoc.ErrNotJSON,
		`{"id":1`:                         jsondoc.ErrNotJSON,
		`{"id":1} x`:                      jsondoc.ErrNotJSON,
		`<html>`:                          jsondoc.ErrNotJSON,
		`[]`:                              errNotObject,
		`7`:                               errNotObject,
		`{"id":1.5}`:                      errInvalidID,
		`{"id":1e3}`:                      errInvalidID,
		`{"id":1e400}`:                    errInvalidID,
		`{"id":9223372036854775808}`:      errInvalidID,
		`{"id":"abc"}`:                    errInvalidID,
		`{"serviceId":{}}`:                errInvalidID,
		`{"serviceId":true}`:              errInvalidID,
		`{"id":1,"id":2}`:                 errDuplicateID,
		`{"serviceId":1,"serviceId":"2"}`: errDuplicateID,
		`{"id":1,"id":1}`:                 nil,
		`{"id":null,"id":1}`:              nil,
		` {"id" : 1 , "serviceId":"2"} `:  nil,
		strings.Repeat(`{"a":`, 20_000) + `1` + strings.Repeat(`}`, 20_000): jsondoc.ErrNotJSON,
	} {
		_, err := DecodePlanChange([]byte(body))
		if !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("DecodePlanChange(%.40s) = %v, want %v", body, err, want)
		}
		if err != nil && ClassOf(err) != Unreadable {
			t.Errorf("DecodePlanChange(%.40s): class %s", body, ClassOf(err))
		}
	}
	if _, err := DecodeAppointmentSlots([]byte(`{}`)); !errors.Is(err, errNotArray) {
		t.Errorf("slots that are no array: %v", err)
	}
}

func TestCents(t *testing.T) {
	for amount, want := range map[Number]int64{
		"0.00": 0, "0": 0, "12.34": 1234, "12.3": 1230, "12": 1200, "12.": 1200, "12.340": 1234,
		"-0.50": -50, "-5.01": -501,
		"90071992547409.93": 9007199254740993, "\t1.00": 100,
	} {
		if got, ok := (&Money{Amount: amount}).Cents(); !ok || got != want {
			t.Errorf("Cents of %q = %d, %t; want %d", amount, got, ok, want)
		}
	}
	for _, amount := range []Number{
		"", ".", ".5", "12.345", "1e2", "12,34", "free", "1.2.3", "92233720368547758.08", "NaN",
	} {
		if got, ok := (&Money{Amount: amount}).Cents(); ok {
			t.Errorf("Cents of %q = %d, want unknown", amount, got)
		}
	}
	var none *Money
	if _, ok := none.Cents(); ok {
		t.Error("no money has an amount")
	}
}

func TestTimestamps(t *testing.T) {
	at := time.Date(2021, time.May, 21, 0, 37, 28, 0, time.UTC)
	for text, want := range map[Timestamp]time.Time{
		"2021-05-21T00:37:28Z":           at,
		"2021-05-21T00:37:28.143Z":       at.Add(143 * time.Millisecond),
		"2021-05-21T10:37:28+10:00":      at,
		"2021-05-21T10:37:28.000+1000":   at,
		"2021-05-21":                     time.Date(2021, time.May, 21, 0, 0, 0, 0, time.UTC),
		"2021-05-20T19:37:28.143-05:00":  at.Add(143 * time.Millisecond),
		"2021-05-21T00:37:28.143000000Z": at.Add(143 * time.Millisecond),
	} {
		if got, ok := text.Time(); !ok || !got.Equal(want) {
			t.Errorf("%s: %s, %t; want %s", text, got, ok, want)
		}
	}
	for _, text := range []Timestamp{"", "2021-05-21 10:37:28", "2021-05-21T10:37:28", "yesterday", "2021-02-30"} {
		if got, ok := text.Time(); ok {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestBodies(t *testing.T) {
	no := false
	for want, body := range map[string][]byte{
		`{"serviceId":7}`: HealthRequest{7}.Body(),
		`{"serviceId":9223372036854775807,"planName":"A \"B\"","term":1,"restorationSla":"S","ntdOption":"N",` +
			`"contactName":"a","contactPhone":"b","contactEmail":"c"}`: PlanChangeRequest{
			9223372036854775807, `A "B"`, 1, "S", "N", "a", "b", "c",
		}.Body(),
		`{"serviceId":7,"aggregationMethod":"L2TP"}`:         AggregationConversionRequest{7, AggregationL2TP}.Body(),
		`{"serviceId":7,"dslStabilityProfile":"Stable"}`:     DSLStabilityProfileChangeRequest{7, DSLStable}.Body(),
		`{"locationId":"LOC000000000001"}`:                   FibreBuildChargeRequest{"LOC000000000001"}.Body(),
		`{"dateFrom":"2026-12-01","orderId":555}`:            AppointmentSlotsRequest{"2026-12-01", 555}.Body(),
		`{"appointmentRequestId":5}`:                         AppointmentCancelRequest{5}.Body(),
		`{"serviceId":7,"testType":"port-reset"}`:            DiagnosticTestRequest{7, TestPortReset}.Body(),
		`{"serviceId":7,"cancellationDate":"2026-12-31"}`:    CancellationRescheduleRequest{7, "2026-12-31"}.Body(),
		`{"sourceType":"wholesale","infrastructureId":null}`: OrderRequest{}.Body(),
		`{"sourceType":"wholesale","term":1,"infrastructureId":"I","requireVLAN":false,` +
			`"customerReference":"\u003cR\u003e"}`: OrderRequest{
			Term: 1, InfrastructureID: "I", RequireVLAN: &no, CustomerReference: "<R>",
		}.Body(),
		`{}`: HealthRequest{}.Body(),
	} {
		if string(body) != want {
			t.Errorf("body %s, want %s", body, want)
		}
	}
	for _, body := range [][]byte{
		ReclaimRequest{7}.Body(), PlanOptionsRequest{7}.Body(), CancellationAbortRequest{7}.Body(),
	} {
		if string(body) != `{"serviceId":7}` {
			t.Errorf("body %s", body)
		}
	}
}

func TestMayBeCharged(t *testing.T) {
	for slot, want := range map[AppointmentSlot]bool{
		{SlotType: SlotAM, LeadTime: LeadTimeStandard}:    false,
		{SlotType: SlotPM, LeadTime: LeadTimeStandard}:    false,
		{SlotType: SlotAHA, LeadTime: LeadTimeStandard}:   true,
		{SlotType: SlotAM, LeadTime: LeadTimeAccelerated}: true,
		{SlotType: "EVENING", LeadTime: LeadTimeStandard}: true,
		{SlotType: SlotAM}: true,
	} {
		if got := slot.MayBeCharged(); got != want {
			t.Errorf("%s, %s: %t, want %t", slot.SlotType, slot.LeadTime, got, want)
		}
	}
}
