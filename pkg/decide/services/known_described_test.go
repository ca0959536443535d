// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

func TestTheConditionOfACancellation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		view   services.Input
		status metav1.ConditionStatus
		reason string
	}{
		"as declared": {
			settled(ending("2026-11-30"), endsOn(carrier.CancellationRequested, "2026-11-30")),
			metav1.ConditionTrue, v1alpha1.ReasonInSync,
		},
		"on another date": {
			settled(ending("2026-12-31"), endsOn(carrier.CancellationRequested, "2026-11-30")),
			metav1.ConditionFalse, v1alpha1.ReasonProgressing,
		},
		"not known yet": {
			settled(ending("2026-11-30"), func(in *services.Input) { in.Service.Status.Carrier.Cancellation = nil }),
			metav1.ConditionUnknown, v1alpha1.ReasonProgressing,
		},
		"too late to abort": {
			settled(ending(""), endsOn(carrier.CancellationCompleted, "2026-11-30")),
			metav1.ConditionFalse, v1alpha1.ReasonNotEligibleForCancellation,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := services.Decide(test.view).Aspects
			i := slices.IndexFunc(all, func(f decide.Aspect) bool { return f.Type == v1alpha1.ConditionCancellationSynced })
			if i < 0 || all[i].Status != test.status || all[i].Reason != test.reason || all[i].Message == "" {
				t.Errorf("got %+v, want %s with reason %s", all, test.status, test.reason)
			}
		})
	}
}
