// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func known(value string, source v1alpha1.ValueSource) *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{Value: value, Source: source, Since: metav1.NewTime(start)}
}

func TestInSyncSaysHowEachValueIsKnown(t *testing.T) {
	t.Parallel()
	sla := func(source v1alpha1.ValueSource) func(*decide.ServiceInput) {
		return func(in *decide.ServiceInput) {
			in.Service.Spec.RestorationSLA = "Enhanced"
			in.Service.Status.Carrier.RestorationSLA = known("Enhanced", source)
		}
	}
	aggregated := func(in *decide.ServiceInput) {
		in.Service.Spec.AggregationMethod = "L2TP"
		in.Service.Status.Carrier.AggregationMethod = known("L2TP", v1alpha1.SourceDeclared)
	}
	term := func(in *decide.ServiceInput) {
		in.Service.Status.Carrier.Term = known("12", v1alpha1.SourceChangeResult)
	}
	for words, view := range map[string]decide.ServiceInput{
		"plan read on 2026-03-02; term not known: the carrier has no read of it": settled(),
		"plan read on 2026-03-02; term changed on 2026-03-02; restoration SLA changed on 2026-03-02": settled(
			term, sla(v1alpha1.SourceChangeResult)),
		"plan read on 2026-03-02; term changed on 2026-03-02; restoration SLA and aggregation method believed as " +
			"declared, which the carrier has never confirmed": settled(term, sla(v1alpha1.SourceDeclared), aggregated),
		"plan read on 2026-03-02; term changed on 2026-03-02; restoration SLA as ordered": settled(
			term, sla(v1alpha1.SourceOrder)),
		"the carrier shows the service, and nothing of it is declared": settled(func(in *decide.ServiceInput) {
			in.Service.Spec.Plan = nil
		}),
		"plan read on 2026-03-03; term changed on 2026-03-03": settled(term, func(in *decide.ServiceInput) {
			in.Account.Object.Spec.TimeZone = "Pacific/Kiritimati" // 14 hours ahead of UTC
			in.Service.Status.Carrier.Plan.Since = metav1.NewTime(start.Add(time.Hour))
			in.Service.Status.Carrier.Term.Since = metav1.NewTime(start.Add(time.Hour))
		}),
	} {
		said := decide.Service(view).Verdict
		if said.State != decide.Settled || said.Message != words {
			t.Errorf("it is %s: %s\nnot: %s", said.State, said.Message, words)
		}
	}
}

func TestACancellationIsPendingUntilItIsAbortedOrCarriedOut(t *testing.T) {
	t.Parallel()
	const day = "2026-12-31"
	for name, test := range map[string]struct {
		found   carrier.Cancellation
		pending string
	}{
		"requested":   {carrier.Cancellation{Status: "REQUESTED", RequestDate: day, CanAbort: true}, day},
		"in error":    {carrier.Cancellation{Status: "IN_ERROR", RequestDate: day, CanAbort: true}, day},
		"handed over": {carrier.Cancellation{Status: "SUBMITTED", RequestDate: day}, day},
		"none":        {carrier.Cancellation{CanRequest: true}, ""},
		"aborted":     {carrier.Cancellation{Status: "ABORTED", RequestDate: day, CanRequest: true}, ""},
		"rejected":    {carrier.Cancellation{Status: "REJECTED", RequestDate: day, CanRequest: true}, ""},
		"carried out": {carrier.Cancellation{Status: "COMPLETED", RequestDate: day, Cancelled: true}, ""},
		"reclaimed":   {carrier.Cancellation{Status: "COMPLETED", RequestDate: day}, ""},
	} {
		var service v1alpha1.BroadbandService
		decide.TakeCancellation(&service, test.found, start, time.UTC)
		if found := service.Status.Carrier.Cancellation.PendingDate; found != test.pending {
			t.Errorf("%s: pending for %q, not %q", name, found, test.pending)
		}
	}
}

func TestARecommendedSlotIsShownByTheClockAtItsSite(t *testing.T) {
	t.Parallel()
	for shown, slot := range map[string]v1alpha1.Slot{
		"Tue 2026-12-01 08:00–12:00 +11:00": {
			StartTime: "2026-11-30T21:00:00Z", EndTime: "2026-12-01T01:00:00Z", TimezoneOffset: "+11:00",
		},
		"Mon 2026-11-30 21:00–23:00 +00:00": {StartTime: "2026-11-30T21:00:00Z", EndTime: "2026-11-30T23:00:00Z"},
		"Mon 2026-11-30 21:00 +00:00":       {StartTime: "2026-11-30T21:00:00Z", EndTime: "2026-12-01T01:00:00Z"},
		"Mon 2026-11-30 22:00 +00:00":       {StartTime: "2026-11-30T22:00:00Z", EndTime: "noon"},
		"":                                  {StartTime: "tomorrow", TimezoneOffset: "+11:00"},
	} {
		slot.SlotID, slot.SlotType = "S-1", "AM"
		choice := decide.Recommend([]v1alpha1.Slot{slot}, v1alpha1.SlotPreferences{}, "FTTP")
		if choice.LocalTime != shown {
			t.Errorf("%s is shown as %q, not %q", slot.StartTime, choice.LocalTime, shown)
		}
	}
}

func TestADiagnosticTestSaysWhatItFound(t *testing.T) {
	t.Parallel()
	found := func(body string) string {
		var status v1alpha1.DiagnosticTestStatus
		ours := func(v1alpha1.CarrierID) bool { return true }
		if why := decide.TakeDiagnosticTest(&status, &v1alpha1.Request{}, []byte(body), ours); why != nil {
			t.Fatalf("%+v", why)
		}
		return decide.TestFound(&status)
	}
	for body, words := range map[string]string{
		`{"result":{"status":[{"name":"completed","reason":"port is up"}],"result":{"port":"up"}}}`: "completed " +
			`(port is up), result {"port":"up"}`,
		`{"result":{"status":[{"name":"completed"}],"result":{"end":"x","result":"Passed"}}}`: "completed, result Passed",
		`{"result":{"id":"1","status":[{"name":"completed"}]}}`:                               "completed",
		`{"result":{"id":"1"}}`: "",
	} {
		if said := found(body); said != words {
			t.Errorf("%s says %q, not %q", body, said, words)
		}
	}
}
