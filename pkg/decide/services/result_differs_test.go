// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// resulting is a service whose plan change from Slow to Fast has succeeded half an hour ago, and whose
// result shows a plan. Its changes are sent without approval.
func resulting(plan string, edits ...func(*services.Input)) services.Input {
	return settled(append([]func(*services.Input){
		with(v1alpha1.PhaseSucceeded, func(r *v1alpha1.Request) {
			r.EndedBy, r.UID, r.SubmittedAt = v1alpha1.EndedByCarrier, "u-1", metav1.NewTime(decidetest.Start().Add(-time.Hour))
			r.BodyHash = decide.BodyHash(services.Body(r.Operation, "1234567", r.Target, v1alpha1.Contact{}))
		}),
		func(in *services.Input) {
			request := in.Service.RequestOf(v1alpha1.OperationPlanChange)
			body := fmt.Appendf(nil, `{"id":77,"serviceId":1234567,"status":"COMPLETED","plan":{"plan":%q,"term":"12"}}`, plan)
			if failed := services.Finish(in.Service, request, body, decidetest.Start(), time.UTC); failed != nil {
				panic(failed.Phase)
			}
			in.Service.PutRequest(*request)
			in.Service.Spec.Approval = v1alpha1.ApprovalAutomatic
		},
		at(30 * time.Minute), read(plan, 29*time.Minute),
	}, edits...)...)
}

// edited has another generation, with the same plan.
func edited(in *services.Input) { in.Service.Generation = 4 }

// A change that the carrier calls done is not sent again before a person has decided: not for another
// generation, and not to correct drift.
func TestAChangeWithAnotherResultIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*services.Input){
		"for the same generation": func(*services.Input) {},
		"for another generation":  edited,
		"for another object":      func(in *services.Input) { in.Service.UID = "u-2" },
		"with another SLA": func(in *services.Input) {
			edited(in)
			in.Service.Spec.RestorationSLA, in.Service.Spec.UnknownValues = "Gold", v1alpha1.UnknownRequest
		},
		"to correct drift": func(in *services.Input) {
			edited(in)
			in.Service.Spec.DriftPolicy = v1alpha1.DriftCorrect
			at(72 * time.Hour)(in)
			read("Slow", 71*time.Hour+55*time.Minute)(in)
		},
	} {
		for _, plan := range []string{"Slow", "Fast (FTTP)"} {
			in := resulting(plan, edit)
			services.UpdateState(&in)
			decision := services.Decide(in)
			if _, sends := decision.Step.(decide.Submit); sends {
				t.Errorf("%s: %q is sent again", name, plan)
			}
			if verdict := decision.Verdict; verdict.Reason != v1alpha1.ReasonResultDiffers || verdict.State != decide.Stuck ||
				!strings.Contains(verdict.Message, fmt.Sprintf("the carrier's result shows plan %q instead of \"Fast\"", plan)) {
				t.Errorf("%s: %q: %+v", name, plan, verdict)
			}
		}
	}
}

// What a person decides is followed.
func TestAPersonDecidesAboutAnotherResult(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit   func(*services.Input)
		reason string
	}{
		"the change is retried": {annotated(v1alpha1.AnnotationRetry, "a-1"), v1alpha1.ReasonProgressing},
		"another plan is declared": {func(in *services.Input) {
			edited(in)
			in.Service.Spec.Plan.Name = "Fastest"
		}, v1alpha1.ReasonProgressing},
		"the carrier's plan is declared": {func(in *services.Input) {
			edited(in)
			in.Service.Spec.Plan.Name = "Fast (FTTP)"
		}, v1alpha1.ReasonInSync},
	} {
		in := resulting("Fast (FTTP)", test.edit)
		services.UpdateState(&in)
		if verdict := services.Decide(in).Verdict; verdict.Reason != test.reason {
			t.Errorf("%s: %+v", name, verdict)
		}
	}
}

// offering gives the plans and SLAs that the carrier offers, read just now.
func offeringNow(plans ...string) func(*services.Input) {
	return func(in *services.Input) {
		reading := decide.Reading{State: decide.ReadingAnswered, RequestedAt: in.Now}
		for _, plan := range plans {
			reading.Options.Plans = append(reading.Options.Plans, carrier.Plan{Plan: plan, Term: "12"})
		}
		in.Memory.Readings.Options = reading
	}
}

// Only a person knows whether a name that the carrier does not offer is the requested plan. One that
// it offers is another plan.
func TestAResultInAnotherSpellingCanBeTrusted(t *testing.T) {
	t.Parallel()
	trust := annotated(v1alpha1.AnnotationTrust, "a-1")
	in := resulting("Fast (FTTP)", trust)
	services.UpdateState(&in)
	if start, reads := services.Decide(in).Step.(decide.StartReading); !reads || start.Topic != decide.TopicOptions {
		t.Errorf("the offers are not read first: %+v", services.Decide(in))
	}
	for name, test := range map[string]struct {
		shown   string
		offered []string
		trusted bool
	}{
		"a name that is not offered":       {"Fast (FTTP)", []string{"Slow", "Fast"}, true},
		"the name of another plan":         {"Fast (FTTP)", []string{"Slow", "Fast", "Fast (FTTP)"}, false},
		"the plan that the service had":    {"Slow", []string{"Fast"}, false},
		"a name, while nothing is offered": {"Fast (FTTP)", nil, true},
	} {
		in := resulting(test.shown, trust, offeringNow(test.offered...))
		services.UpdateState(&in)
		decision := services.Decide(in)
		if trusted := decision.Verdict.Reason == v1alpha1.ReasonInSync; trusted != test.trusted {
			t.Errorf("%s: %+v", name, decision.Verdict)
		}
		if known := knownOf(in.Service); test.trusted && known != [3]string{"Fast", "12", ""} {
			t.Errorf("%s: known is %q", name, known)
		}
		if in.Service.Status.Handled.Trust != "a-1" {
			t.Errorf("%s: the annotation is not used up", name)
		}
	}
}

// The message shows how to say that a name is the requested one, unless it is known not to be.
func TestOnlyAnUnknownNameIsOfferedToBeTrusted(t *testing.T) {
	t.Parallel()
	const command = v1alpha1.AnnotationTrust + "=a-1"
	for name, test := range map[string]struct {
		in   services.Input
		says bool
	}{
		"unknown": {resulting("Fast (FTTP)"), true},
		"offered": {resulting("Fast (FTTP)", offeringNow("Fast (FTTP)")), false},
		"before":  {resulting("Slow"), false},
	} {
		services.UpdateState(&test.in)
		if message := services.Decide(test.in).Verdict.Message; strings.Contains(message, command) != test.says {
			t.Errorf("%s: %s", name, message)
		}
	}
}
