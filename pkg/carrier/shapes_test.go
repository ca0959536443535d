package carrier

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The cases of this file are shapes of real responses that the specification does not list, one
// table for each place where they were observed.

// shape is one such response, its decoder, and the expected result.
type shape struct {
	body string
	read func(body []byte) (any, error)
	want any
}

// reading combines a decoder and a choice of fields into one function.
func reading[T any](decode func([]byte) (T, error), pick func(T) any) func([]byte) (any, error) {
	return func(body []byte) (any, error) {
		decoded, err := decode(body)
		return pick(decoded), err
	}
}

func checkShapes(t *testing.T, shapes map[string]shape) {
	t.Helper()
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			got, err := s.read([]byte(s.body))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(s.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", s.body, diff)
			}
		})
	}
}

func instant(text Timestamp) any {
	at, ok := text.Time()
	if !ok {
		return "no point in time"
	}
	return at.UTC().Format(time.RFC3339Nano)
}

func TestShapesOfTimestamps(t *testing.T) {
	requestedOn := reading(DecodePlanChange, func(r PlanChangeResult) any { return instant(r.RequestedOn) })
	slot := reading(DecodeAppointmentSlots, func(s []AppointmentSlot) any {
		return []any{instant(s[0].StartTime), s[0].TimezoneOffset}
	})
	checkShapes(t, map[string]shape{
		"with milliseconds, as in errors": {
			`{"requestedOn":"2021-05-21T00:37:28.143Z"}`, requestedOn, "2021-05-21T00:37:28.143Z",
		},
		"without them, as in resources": {`{"requestedOn":"2021-05-21T00:37:28Z"}`, requestedOn, "2021-05-21T00:37:28Z"},
		"a bare date, as modifiedOn":    {`{"requestedOn":"2021-05-21"}`, requestedOn, "2021-05-21T00:00:00Z"},
		"an offset":                     {`{"requestedOn":"2021-05-21T10:37:28+10:00"}`, requestedOn, "2021-05-21T00:37:28Z"},
		"an offset without a colon":     {`{"requestedOn":"2021-05-21T10:37:28+1000"}`, requestedOn, "2021-05-21T00:37:28Z"},
		"a slot's offset beside a time in Z": {
			`[{"startTime":"2021-05-21T00:00:00Z","timezoneOffset":"+10:00"}]`, slot, []any{"2021-05-21T00:00:00Z", "+10:00"},
		},
		"null": {`{"requestedOn":null}`, requestedOn, "no point in time"},
	})
}

func TestShapesOfOrders(t *testing.T) {
	vlan := reading(DecodeOrder, func(o Order) any { return o.VLANID })
	port := reading(DecodeOrder, func(o Order) any { return o.Infrastructure })
	traffic := reading(DecodeOrder, func(o Order) any { return o.TrafficClass })
	event := func(body []byte) (any, error) {
		hint, ok := ReadEvent(body)
		if !ok {
			return nil, errNotObject
		}
		return hint, nil
	}
	webhook := `{"id":8,"type":"new","serviceId":"1234567","customerRef":"SITE-014","rejectedReason":"wrong AVC",` +
		`"rejectedOn":"2021-05-21","vlanId":"100"}`
	checkShapes(t, map[string]shape{
		"vlanId as text":      {`{"vlanId":"100"}`, vlan, int64(100)},
		"vlanId as number":    {`{"vlanId":100}`, vlan, int64(100)},
		"vlanId null":         {`{"vlanId":null}`, vlan, int64(0)},
		"portId as text":      {`{"infrastructure":{"portId":"1"}}`, port, &OrderedInfra{PortID: "1"}},
		"portId as number":    {`{"infrastructure":{"portId":1}}`, port, &OrderedInfra{PortID: "1"}},
		"portId absent":       {`{"infrastructure":{"id":"NTD1"}}`, port, &OrderedInfra{ID: "NTD1"}},
		"TC4 in responses":    {`{"trafficClass":"TC4"}`, traffic, "TC4"},
		"tc4, as in requests": {`{"trafficClass":"tc4"}`, traffic, "tc4"},
		"a webhook": {webhook, event, EventHint{
			ID: 8, ServiceID: 1234567, CustomerReference: "SITE-014", Reason: "wrong AVC",
		}},
		"a webhook read as an order": {webhook, reading(DecodeOrder, func(o Order) any {
			return []any{o.ID, o.CustomerRef, o.VLANID, o.Status}
		}), []any{int64(8), "SITE-014", int64(100), ""}},
	})
	request := OrderRequest{Term: 12, PortID: new(int64(0)), TrafficClass: "tc4", InfrastructureID: "I"}
	want := `{"sourceType":"wholesale","term":12,"trafficClass":"tc4","infrastructureId":"I","portId":0}`
	if got := string(request.Body()); got != want { // term and port are numbers in requests
		t.Errorf("an order is sent as %s, want %s", got, want)
	}
}

func TestShapesOfPlans(t *testing.T) {
	term := reading(DecodePlanChange, func(r PlanChangeResult) any { return r.Plan.Term })
	checkShapes(t, map[string]shape{
		"a term as text, as in results":  {`{"plan":{"term":"12"}}`, term, "12"},
		"a term as a number, as we send": {`{"plan":{"term":12}}`, term, "12"},
	})
	if got := string(PlanChangeRequest{Term: 12}.Body()); got != `{"term":12}` {
		t.Errorf("a term is sent as %s", got)
	}
}

func TestShapesOfQualifications(t *testing.T) {
	const uuid = "6f1d2c3b-0000-4000-8000-000000000001"
	text := reading(decodeQualification, func(q Qualification) any {
		return []any{q.QualificationSearchID, q.Latitude, q.Longitude, q.ServiceClass}
	})
	products := reading(decodeQualification, func(q Qualification) any { return q.AvailableProducts })
	fees := reading(decodeQualification, func(q Qualification) any { return q.RestorationSLAs[0].Fees })
	product := QualifiedProducts{{ID: "P", Name: "Product"}}
	const charge = `{"oneTimeCharge":{"amount":"5.00"}}`
	five := Fees{{OneTimeCharge: &Money{Amount: "5.00"}}}
	checkShapes(t, map[string]shape{
		"coordinates and class as text": {
			`{"qualificationSearchId":"` + uuid + `","latitude":"-33.8","longitude":"151.2","serviceClass":"3"}`,
			text,
			[]any{uuid, Number("-33.8"), Number("151.2"), "3"},
		},
		"coordinates and class as numbers": {
			`{"qualificationSearchId":"` + uuid + `","latitude":-33.80,"longitude":151.2,"serviceClass":3}`,
			text,
			[]any{uuid, Number("-33.80"), Number("151.2"), "3"},
		},
		"products as an array":      {`{"availableProducts":[{"id":"P","name":"Product"}]}`, products, product},
		"products as an object":     {`{"availableProducts":{"id":"P","name":"Product"}}`, products, product},
		"products by some name":     {`{"availableProducts":{"x":{"id":"P","name":"Product"}}}`, products, product},
		"products by name, as list": {`{"availableProducts":{"x":[{"id":"P","name":"Product"}]}}`, products, product},
		"products null":             {`{"availableProducts":null}`, products, QualifiedProducts(nil)},
		"fees without attributes":   {`{"restorationSlas":[{"fees":[` + charge + `]}]}`, fees, five},
		"fees keyed by tc4":         {`{"restorationSlas":[{"fees":{"tc4":[` + charge + `]}}]}`, fees, five},
		"one fee keyed by tc4":      {`{"restorationSlas":[{"fees":{"tc4":` + charge + `}}]}`, fees, five},
		"a fee with but a name":     {`{"restorationSlas":[{"fees":{"name":"SLA"}}]}`, fees, Fees{{Name: "SLA"}}},
		"no fees":                   {`{"restorationSlas":[{"fees":null}]}`, fees, Fees(nil)},
	})
}

func TestShapesOfErrors(t *testing.T) {
	anError := func(body []byte) (any, error) {
		failure := readError(body, nil)
		return []any{failure.Type, failure.Code, failure.Message, failure.SubErrors}, nil
	}
	none := []SubError(nil)
	checkShapes(t, map[string]shape{
		"type client.access": {
			`{"httpStatusCode":405,"type":"client.access","message":"m","timestamp":"2021-05-21T00:37:28.143Z"}`,
			anError,
			[]any{TypeClientAccess, ErrorCode(""), "m", none},
		},
		"type server.internal": {
			`{"type":"server.internal","apiSubErrors":[]}`, anError, []any{TypeServerInternal, ErrorCode(""), "", none},
		},
		"code malformed.json.request": {
			`{"code":"malformed.json.request"}`, anError, []any{ErrorType(""), CodeMalformedJSON, "", none},
		},
		"an unknown type and code": {
			`{"type":"new.type","code":"new.code"}`, anError, []any{ErrorType("new.type"), ErrorCode("new.code"), "", none},
		},
		"a sub-error of an order": {
			`{"apiSubErrors":[{"code":"constraints.ordering.technology.type.not.available","object":"CreateOrderCommand"}]}`,
			anError,
			[]any{ErrorType(""), ErrorCode(""), "", []SubError{
				{Code: SubTechnologyTypeUnavailable, Object: "CreateOrderCommand"},
			}},
		},
		"the second form of a sub-error": {
			`{"apiSubErrors":[{"code":"c","object":"o","detail":"why"}]}`, anError,
			[]any{ErrorType(""), ErrorCode(""), "", []SubError{{Code: "c", Message: "why", Object: "o"}}},
		},
	})
	for _, status := range []int{http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType} {
		client := testClient(t, serve(t, respond(status,
			fmt.Sprintf(`{"httpStatusCode":%d,"type":"client.access","code":"c"}`, status))).URL)
		receipt := client.Submit(t.Context(), Health, 8, healthBody)
		if receipt.Delivery != Rejected || receipt.Err.Class != Invalid || receipt.Err.Type != TypeClientAccess {
			t.Errorf("%d: %s, %v", status, receipt.Delivery, receipt.Err)
		}
	}
}

func TestShapesOfCancellations(t *testing.T) {
	status := reading(DecodeCancellation, func(c Cancellation) any { return c.Status })
	shapes := make(map[string]shape)
	for _, want := range []CancellationStatus{
		CancellationInProgress, CancellationInErrorRetry, CancellationRejected, CancellationRequested, "SOMETHING_NEW",
	} {
		shapes[string(want)] = shape{fmt.Sprintf(`{"status":%q}`, want), status, want}
	}
	shapes["null"] = shape{`{"cancelled":false,"status":null}`, status, CancellationStatus("")}
	checkShapes(t, shapes)
}

// TestShapesOfContentTypes: the Content-Type of a response has no effect.
func TestShapesOfContentTypes(t *testing.T) {
	for _, kind := range []string{"application/json", "application/json;charset=UTF-8", "text/plain", "", "x/\xff"} {
		client := testClient(t, serve(t, respond(http.StatusOK, `{"id":77}`, "Content-Type", kind)).URL)
		if outcome, err := client.Poll(t.Context(), handle); outcome.State != Done {
			t.Errorf("%q: %s, %v", kind, outcome.State, err)
		}
	}
}
