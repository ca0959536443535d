// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

func TestR33WhatIsNotSentAgainSaysWhy(t *testing.T) {
	t.Parallel()
	for why, view := range map[string]services.Input{
		"bad gateway; it is not sent again, because it is no longer what the spec and the known state of the service " +
			"require": settled(profileLost()),
		"bad gateway; it is not sent again, because the service is cancelled by now": settled(
			stable, endsOn(carrier.CancellationCompleted, "2026-02-20"), profileLost()),
		"bad gateway; it is not sent again, because it now needs an approval that it does not have": settled(
			stable, profileLost(), underApproval(v1alpha1.ApprovalAlways)),
		"bad gateway; the cancellation had not changed at 2026-03-02 09:05:00 +00:00, and it is not sent again, because " +
			"it is no longer what the spec and the known state of the service require": settled(
			endsOn(carrier.CancellationRequested, "2026-11-30"), rescheduling(v1alpha1.PhaseSubmitting, lost),
			at(5*time.Minute), justRead),
	} {
		decision := services.Decide(view)
		if resolve, ok := decision.Step.(decide.Resolve); !ok || resolve.Error.Message != why {
			t.Errorf("%+v, not: %s", decision.Step, why)
		}
	}
}

// What ends without a person is followed by the repeat. A modification that the carrier lists may be
// the very attempt.
func TestR33WhatIsHeldBackSaysWhetherItIsSentAgain(t *testing.T) {
	t.Parallel()
	reclaiming := func(in *services.Input) {
		in.Service.Spec.Disconnection = v1alpha1.DisconnectionReclaim
		with(v1alpha1.PhaseSubmitting, lost, func(r *v1alpha1.Request) {
			r.Operation, r.Target, r.Location = v1alpha1.OperationReclaim, v1alpha1.RequestTarget{}, ""
		})(in)
		at(16 * time.Minute)(in)
	}
	suspended := func(in *services.Input) { in.Service.Spec.Suspend = true }
	gone := endsOn(carrier.CancellationCompleted, "2026-02-20")
	modified := describing(16*time.Minute, changing(v1alpha1.DescribedValues{Plan: "Fast"}))
	const later, not = "is sent again after that, if it is still wanted then; to", "is not sent again; to"
	for name, test := range map[string]struct {
		view        services.Input
		says, again string
	}{
		"its value is being read":     {settled(gone, reclaiming), "is being read", later},
		"the object is suspended":     {settled(gone, reclaiming, suspended), "spec.suspend is true", not},
		"the carrier lists something": {settled(stable, profileLost(), modified), "one whose response was lost", later},
	} {
		message := services.Decide(test.view).Verdict.Message
		again := "attempt a-1, whose response was lost, " + test.again
		if !strings.Contains(message, test.says) || !strings.Contains(message, again) {
			t.Errorf("%s: %s", name, message)
		}
	}
}
