// SPDX-License-Identifier: Apache-2.0

package oneshots

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A price in cents is exact. A price that is not a whole number of cents is unknown.
func TestPriceIsExact(t *testing.T) {
	t.Parallel()
	for cents, want := range map[carrier.Number]string{
		"0": "0.00", "5": "0.05", "99": "0.99", "100": "1.00", "1234505": "12345.05", "1234505.00": "12345.05",
		"-5": "-0.05", "-250": "-2.50", "9223372036854775807": "92233720368547758.07",
		"": "", "1.5": "", "1e3": "", "9223372036854775808": "", "x": "",
	} {
		got := ""
		if price := priceOf(cents, "AUD"); price != nil {
			got = price.Amount
		}
		if got != want {
			t.Errorf("%q cents are %q, want %q", cents, got, want)
		}
	}
}

// Whatever the carrier offers, the size of a status stays far below the limit of the cluster.
func TestOffersAreBounded(t *testing.T) {
	t.Parallel()
	const wide = "\U0001F600" // four bytes
	device := map[string]any{"option": strings.Repeat(wide, 500), "fee": map[string]any{}}
	devices := make([]any, 30)
	for i := range devices {
		devices[i] = device
	}
	plan := map[string]any{"plan": strings.Repeat(wide, 500), "ntdOptions": devices}
	offers := map[string]any{"plans": []any{plan, plan, plan, plan, plan, plan, plan, plan, plan, plan}}
	body, err := json.Marshal(offers)
	if err != nil {
		t.Fatal(err)
	}
	var status v1alpha1.PlanOptionsQueryStatus
	if why := RecordPlanOptions(&status, &v1alpha1.Request{}, body); why != nil {
		t.Fatal(why.Error.Message)
	}
	kept, err := json.Marshal(status)
	if err != nil || len(kept) > maxOffers+1024 || !status.Truncated {
		t.Fatalf("%d bytes are kept, truncated: %t, %v", len(kept), status.Truncated, err)
	}
	if kept := len(status.Plans[0].NTDOptions); kept != 20 { // maxItems of the CRD
		t.Fatalf("%d NTD options are kept", kept)
	}
}

// 1e400 is a valid JSON number. The API server refuses a status that contains it, at every write.
func TestR18ANumberThatIsNoFloat64IsKeptAsText(t *testing.T) {
	t.Parallel()
	kept, truncated := freeForm([]byte(`{"attenuation":1e400,"noise":[-1e999,6.5],"id":9007199254740993}`))
	const want = `{"attenuation":"1e400","id":9007199254740993,"noise":["-1e999",6.5]}`
	if string(kept) != want || truncated {
		t.Errorf("%s, want %s", kept, want)
	}
}

// A finished object is deleted once its ttlAfterFinished is over. An object that may not have
// finished is kept.
func TestExpiryIsMeasuredFromTheEnd(t *testing.T) {
	t.Parallel()
	for phase, goes := range map[v1alpha1.RequestPhase]bool{
		v1alpha1.PhaseSucceeded: true, v1alpha1.PhaseFailed: true, v1alpha1.PhaseAbandoned: true,
		v1alpha1.PhaseRejected: true, v1alpha1.PhaseNotSent: false, v1alpha1.PhaseNotProcessed: false,
		v1alpha1.PhaseNotAccepted: false,
		v1alpha1.PhaseSubmitting:  false, v1alpha1.PhaseInProgress: false, v1alpha1.PhaseOutcomeUnknown: false,
		v1alpha1.PhaseLateAcceptance: false, v1alpha1.PhaseRepeated: false, // another request is sent
	} {
		for _, ttl := range []v1alpha1.Duration{"", "0", "1h"} {
			test := &v1alpha1.DiagnosticTest{}
			request := v1alpha1.Request{Operation: v1alpha1.OperationDiagnosticTest, Phase: phase}
			request.FinishedAt.Time = decidetest.Start()
			test.Record().PutRequest(request)
			got := Expires(&Input{
				Input: decide.Input{Subject: test, Now: decidetest.Start()}, TTL: ttl,
				Task: decide.Task{Operation: v1alpha1.OperationDiagnosticTest},
			})
			want := time.Time{}
			if goes && ttl == "1h" {
				want = decidetest.Start().Add(time.Hour)
			}
			if !got.Equal(want) {
				t.Errorf("%s with ttlAfterFinished %q expires at %v, want %v", phase, ttl, got, want)
			}
		}
	}
}

// A time in the future counts as now (R19).
func TestR19AnEndInTheFutureDoesNotDelayTheExpiry(t *testing.T) {
	t.Parallel()
	seen, ahead := decidetest.Start(), decidetest.Start().Add(24*time.Hour)
	ended, notOffered := &v1alpha1.DiagnosticTest{}, &v1alpha1.DiagnosticTest{}
	ended.Record().PutRequest(v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, Phase: v1alpha1.PhaseSucceeded, FinishedAt: metav1.NewTime(ahead),
	})
	notOffered.Status.NotOffered = &v1alpha1.NotOffered{FinishedAt: metav1.NewTime(ahead)}
	for name, test := range map[string]*v1alpha1.DiagnosticTest{"it has ended": ended, "it is not offered": notOffered} {
		input := decide.Input{Subject: test, Now: seen}
		input.Memory.FutureTimes, _ = decide.FindFutureTimes(&input)
		input.Now = seen.Add(time.Minute)
		got := Expires(&Input{
			Input: input, Test: test, TTL: "1h", Task: decide.Task{Operation: v1alpha1.OperationDiagnosticTest},
		})
		if want := seen.Add(time.Hour); !got.Equal(want) {
			t.Errorf("%s: it expires at %v, want %v", name, got, want)
		}
	}
}
