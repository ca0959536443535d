// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

func known(value string, source v1alpha1.ValueSource) *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{Value: value, Source: source, Since: metav1.NewTime(decidetest.Start())}
}

func TestTheInSyncMessageNamesTheSourceOfEachValue(t *testing.T) {
	t.Parallel()
	sla := func(source v1alpha1.ValueSource) func(*services.Input) {
		return func(in *services.Input) {
			in.Service.Spec.RestorationSLA = "Enhanced"
			in.Service.Status.Carrier.RestorationSLA = known("Enhanced", source)
		}
	}
	aggregated := func(in *services.Input) {
		in.Service.Spec.AggregationMethod = "L2TP"
		in.Service.Status.Carrier.AggregationMethod = known("L2TP", v1alpha1.SourceDeclared)
	}
	term := func(in *services.Input) {
		in.Service.Status.Carrier.Term = known("12", v1alpha1.SourceChangeResult)
		in.Service.Status.Carrier.Term.Plan = "Fast"
	}
	for words, view := range map[string]services.Input{
		"plan first read on 2026-03-02; term not known, because the carrier's API cannot report this": settled(),
		"plan first read on 2026-03-02; term set on 2026-03-02; restoration SLA set on 2026-03-02": settled(
			term, sla(v1alpha1.SourceChangeResult)),
		"plan first read on 2026-03-02; term set on 2026-03-02; restoration SLA and aggregation method trusted as " +
			"declared, but never confirmed by the carrier": settled(term, sla(v1alpha1.SourceDeclared), aggregated),
		"plan first read on 2026-03-02; term set on 2026-03-02; restoration SLA as ordered": settled(
			term, sla(v1alpha1.SourceOrder)),
		"plan set on 2026-03-02 (health shows it as \"Slow\"); term set on 2026-03-02": settled(
			term, func(in *services.Input) {
				in.Service.Status.Carrier.Plan = known("Fast", v1alpha1.SourceChangeResult)
				in.Service.Status.Carrier.Plan.AsHealth = "Slow"
			}),
		"the carrier shows the service, and the spec declares no values to compare": settled(func(in *services.Input) {
			in.Service.Spec.Plan = nil
		}),
		"plan first read on 2026-03-03; term set on 2026-03-03": settled(term, func(in *services.Input) {
			in.Account.Object.Spec.TimeZone = "Pacific/Kiritimati" // 14 hours ahead of UTC
			in.Service.Status.Carrier.Plan.Since = metav1.NewTime(decidetest.Start().Add(time.Hour))
			in.Service.Status.Carrier.Term.Since = metav1.NewTime(decidetest.Start().Add(time.Hour))
		}),
	} {
		said := services.Decide(view).Verdict
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
		"requested":                {carrier.Cancellation{Status: "REQUESTED", RequestDate: day, CanAbort: true}, day},
		"in error":                 {carrier.Cancellation{Status: "IN_ERROR", RequestDate: day, CanAbort: true}, day},
		"submitted to the carrier": {carrier.Cancellation{Status: "SUBMITTED", RequestDate: day}, day},
		"none":                     {carrier.Cancellation{CanRequest: true}, ""},
		"aborted":                  {carrier.Cancellation{Status: "ABORTED", RequestDate: day, CanRequest: true}, ""},
		"rejected":                 {carrier.Cancellation{Status: "REJECTED", RequestDate: day, CanRequest: true}, ""},
		"carried out":              {carrier.Cancellation{Status: "COMPLETED", RequestDate: day, Cancelled: true}, ""},
		"reclaimed":                {carrier.Cancellation{Status: "COMPLETED", RequestDate: day}, ""},
	} {
		var service v1alpha1.BroadbandService
		services.RecordCancellation(&service, test.found, decidetest.Start(), time.UTC)
		if found := service.Status.Carrier.Cancellation.PendingDate; found != test.pending {
			t.Errorf("%s: pending for %q, not %q", name, found, test.pending)
		}
	}
}
