package carrier

import (
	"strings"
	"testing"
)

func TestParseEventName(t *testing.T) {
	for name, want := range map[string]EventName{
		"ServiceAggregationModified":                             EventAggregationModified,
		"service.aggregation-modified":                           EventAggregationModified,
		"service.aggregation-modification-failed.event":          EventAggregationModificationFailed,
		"service.plan-changed.event":                             EventPlanChanged,
		"service.plan-change-rejected.notification":              EventPlanChangeRejected,
		"service.restoration-sla-changed":                        EventRestorationSLAChanged,
		"service.restoration-sla-change-rejected":                EventRestorationSLAChangeRejected,
		"service.dsl-stability-profile-changed":                  EventDSLProfileChanged,
		"service.dsl-stability-profile-change-rejected":          EventDSLProfileChangeRejected,
		"service.reclaim-activated":                              EventReclaimActivated,
		"service.reclaim-failed":                                 EventReclaimFailed,
		"service.cancelled":                                      EventCancelled,
		"service.cancellation-rejected":                          EventCancellationRejected,
		"service.modified":                                       EventServiceModified,
		"ServiceModificationRejected":                            EventServiceModificationRejected,
		"order.rejected":                                         EventOrderRejected,
		"appointment.cancelled":                                  EventAppointmentCancelled,
		"serviceHealth-accepted":                                 EventHealthAccepted,
		"serviceHealth-completed":                                EventHealthCompleted,
		"serviceHealth-failed.event":                             EventHealthFailed,
		"\tSERVICE.PLAN-CHANGED\n":                               EventPlanChanged,
		"":                                                       "",
		"service":                                                "",
		"order.created":                                          "",
		"service.plan-changed.event.event":                       "",
		strings.Repeat("service.", 100) + "service.plan-changed": "",
	} {
		got, ok := ParseEventName(name)
		if got != want || ok != (want != "") {
			t.Errorf("ParseEventName(%.40q) = %q, %t; want %q", name, got, ok, want)
		}
	}
}

func TestReadEvent(t *testing.T) {
	for payload, want := range map[string]EventHint{
		`{"id":1,"serviceId":9007199254740993}`:     {ID: 1, ServiceID: 9007199254740993},
		`{"id":"5","customerRef":"SITE\u0000-1"}`:   {ID: 5, CustomerReference: "SITE -1"},
		`{"service":{"id":7},"order":{"id":8}}`:     {ServiceID: 7, OrderID: 8},
		`{"orderId":3,"locId":"LOC1"}`:              {OrderID: 3, LocationID: "LOC1"},
		`{"rejectedReason":"ask ada@mail.example"}`: {Reason: "ask REDACTED"},
		`{"eventType":"OrderRejected","orderId":8,"order":{"id":8,"customerRef":"S-1","rejectedReason":"no"}}`: {
			Name: "OrderRejected", OrderID: 8, CustomerReference: "S-1", Reason: "no",
		},
		`{"requestId":6,"serviceId":7,"service":{"id":7,"locId":"LOC1"}}`: {RequestID: 6, ServiceID: 7, LocationID: "LOC1"},
		`{"id":5,"orderId":8,"status":"CANCELLED","reason":"storm"}`:      {ID: 5, OrderID: 8, Reason: "storm"},
		`{"appointment":{"id":5,"orderId":8,"reason":"storm"}}`:           {OrderID: 8, Reason: "storm"},
		`{"id":"evt_01H455VB4PEX5VSKNK084SN02Q","eventType":"OrderRejected","orderId":8,"order":{"rejectedReason":"no"}}`: {
			Name: "OrderRejected", OrderID: 8, Reason: "no",
		},
		`{"id":"a1b2","id":5,"serviceId":1.5,"requestId":{}}`: {ID: 5},
		`{"serviceId":1e400,"service":{"id":7,"id":"x"}}`:     {ServiceID: 7},
		`{}`: {},
	} {
		if got, ok := ReadEvent([]byte(payload)); !ok || got != want {
			t.Errorf("ReadEvent(%s) = %+v, %t; want %+v", payload, got, ok, want)
		}
	}
	huge := strings.Repeat(" ", 2<<20)
	for _, payload := range []string{
		"", "[]", "<html>", `{"id":1,"id":2}`, `{"requestId":1,"requestId":"2"}`, `{"service":{"id":1,"id":2}}`, huge,
		`{"orderId":1,"order":{"id":2}}`, `{"serviceId":1,"service":{"id":2}}`,
	} {
		if got, ok := ReadEvent([]byte(payload)); ok || got != (EventHint{}) {
			t.Errorf("ReadEvent(%.20s) = %+v", payload, got)
		}
	}
}

func FuzzEvent(f *testing.F) {
	f.Add("service.plan-changed.event", []byte(`{"id":1,"serviceId":2,"order":{"id":3}}`))
	f.Add("OrderRejected", []byte(`{"rejectedReason":"\u202e","customerRef":5}`))
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		if known, ok := ParseEventName(name); ok {
			if again, same := ParseEventName(string(known)); !same || again != known {
				t.Fatalf("%s is not its own name", known)
			}
		}
		hint, ok := ReadEvent(payload)
		if !ok && hint != (EventHint{}) {
			t.Fatalf("a refused payload gave %+v", hint)
		}
		for _, text := range []string{hint.CustomerReference, hint.LocationID, hint.Name, hint.Reason} {
			checkDisplayable(t, text)
		}
	})
}
