// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// On an object that is not Ready, the message already describes an annotation that does not fit.
// That part of the message becomes an Event, too.
func TestAnAnnotationThatDoesNotFitIsAnnouncedAsTheMessageDescribesIt(t *testing.T) {
	t.Parallel()
	asks := []func(*services.Input){wanting, approval(v1alpha1.ApprovalOnCost), quoted("45.00", "58.00")}
	unknown := func(in *services.Input) {
		in.Service.Spec.AggregationMethod, in.Service.Spec.UnknownValues = "ETHERNET", v1alpha1.UnknownAsk
	}
	failed := []func(*services.Input){wanting, with(v1alpha1.PhaseFailed)}
	lost := []func(*services.Input){wanting, with(v1alpha1.PhaseOutcomeUnknown)}
	late := []func(*services.Input){wanting, with(v1alpha1.PhaseLateAcceptance)}
	resolves := func(value, why string) string {
		return "the annotation wholesale.broadband/resolve is \"" + value + "\", but resolves nothing: " + why
	}
	const future = "2026-03-03T00:00:00Z"
	for name, test := range map[string]struct {
		edits      []func(*services.Input)
		annotation string
		value      string
		want       string // "" for no Event
	}{
		"an approval of something else": {asks, v1alpha1.AnnotationApprove, "p1", "the approval p1 is for another plan"},
		"no approval":                   {asks, v1alpha1.AnnotationApprove, "", ""},
		"trust in something else": {
			[]func(*services.Input){unknown}, v1alpha1.AnnotationTrust, "p1", "the annotation trust=p1 is for another plan",
		},
		"a retry of something else": {
			failed, v1alpha1.AnnotationRetry, "a-7", `the annotation wholesale.broadband/retry is now "a-7", which is neither`,
		},
		"a retry in the future, which is used then": {failed, v1alpha1.AnnotationRetry, future, ""},
		"a retry of the attempt":                    {failed, v1alpha1.AnnotationRetry, "a-1", ""},
		"a resolution in another form": {
			lost, v1alpha1.AnnotationResolve, "a-1=succeeded", resolves("a-1=succeeded", "the form is <attempt id>=Accepted:"),
		},
		"a resolution of another attempt": {
			lost, v1alpha1.AnnotationResolve, "a-7=Succeeded", resolves("a-7=Succeeded", "it names no attempt"),
		},
		"a resolution with an impossible request id": {
			lost, v1alpha1.AnnotationResolve, "a-1=Accepted:abc", resolves("a-1=Accepted:abc", "the carrier does not write"),
		},
		"a resolution that the carrier has disproved": {
			late, v1alpha1.AnnotationResolve, "a-1=NotAccepted", resolves("a-1=NotAccepted", "the carrier itself has confirmed"),
		},
		"a resolution of a known outcome": {
			failed, v1alpha1.AnnotationResolve, "a-1=Succeeded", resolves("a-1=Succeeded", "the outcome of the attempt"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decision := services.Decide(settled(append(test.edits, annotated(test.annotation, test.value))...))
			switch got := strings.Join(decision.Unused, "; "); {
			case got != "" != (test.want != "") || !strings.HasPrefix(got, test.want):
				t.Errorf("%q is announced, want %q", got, test.want)
			case !strings.Contains(decision.Verdict.Message, got):
				t.Errorf("%q is not in the message: %s", got, decision.Verdict.Message)
			}
		})
	}
}
