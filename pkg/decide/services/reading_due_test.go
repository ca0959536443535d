// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// every makes health the only topic that is read, at the given interval; "0" for never.
func every(interval v1alpha1.Duration) func(*services.Input) {
	return func(in *services.Input) {
		in.Service.Spec.Observe = v1alpha1.Observe{
			HealthInterval: interval, CancellationInterval: "0", DisruptionsInterval: "0",
		}
	}
}

// atSlotAfterReading is the moment of a slot, so long after a reading of health.
func atSlotAfterReading(long time.Duration) func(*services.Input) {
	return func(in *services.Input) {
		in.Now = decide.NextAtInterval(string(in.Service.GetUID()), time.Hour, in.Now.Add(time.Hour))
		in.Memory.Readings.Health.RequestedAt = in.Now.Add(-long)
	}
}

// versioned is an account whose carrier uses a version of the API.
func versioned(version int32) func(*services.Input) {
	return func(in *services.Input) { in.Account.Object.Spec.APIVersion = version }
}

func TestServiceIsReadAtItsInterval(t *testing.T) {
	rests := judged{"Rest", decide.Settled, "InSync"}
	cases{
		"as soon as it has passed": {
			settled(every("1h"), at(2*time.Hour)), judged{"StartReading health", decide.Settled, "InSync"},
		},
		"not before": {
			settled(every("1h"), func(in *services.Input) { in.Memory.FirstSeen = in.Now }), rests,
		},
		"not at a slot shortly after a reading": {settled(every("1h"), atSlotAfterReading(14*time.Minute)), rests},
		"at a slot long after one": {
			settled(every("1h"), atSlotAfterReading(16*time.Minute)), judged{"StartReading health", decide.Settled, "InSync"},
		},
		"not where the interval is switched off": {settled(every("0"), at(100*time.Hour)), rests},
		"not by an account that cannot log in": {
			settled(every("1h"), at(2*time.Hour), func(in *services.Input) {
				in.Account.Object.Status.Conditions[0].Status = metav1.ConditionFalse
			}),
			judged{"Rest", decide.Working, "AccountNotReady"},
		},
	}.run(t)
}

func TestServiceSendsOnlyWhatTheAPIVersionSupports(t *testing.T) {
	expedited := func(in *services.Input) { in.Service.Spec.RestorationSLA = "Fast" }
	stuck := judged{"Rest", decide.Stuck, "UnsupportedByAPIVersion"}
	cases{
		"a plan change without a field that the version does not have": {settled(wanting, versioned(5)), working("Submit")},
		"a field that the version does not have":                       {settled(wanting, expedited, versioned(5)), stuck},
		"a field that the version has":                                 {settled(wanting, expedited), working("Submit")},
	}.run(t)
}

// Without spec.plan there is no plan that could be trusted.
func TestTrustInAPlanIsProposedOnlyIfOneIsDeclared(t *testing.T) {
	t.Parallel()
	unread := func(in *services.Input) {
		in.Service.Status.Carrier, in.Account.Object.Spec.APIVersion = nil, 4
		in.Account.Object.Spec.FamilyVersions = v1alpha1.FamilyVersionsStrict
	}
	onlySLA := func(in *services.Input) { in.Service.Spec.Plan, in.Service.Spec.RestorationSLA = nil, "Fast" }
	for name, row := range map[string]struct {
		edit     func(*services.Input)
		proposed bool
	}{
		"a plan":      {func(*services.Input) {}, true},
		"only an SLA": {onlySLA, false},
	} {
		verdict := services.Decide(settled(unread, row.edit)).Verdict
		proposed := strings.Contains(verdict.Message, "list Plan in trustDeclared")
		if verdict.Reason != v1alpha1.ReasonUnsupportedByAPIVersion || proposed != row.proposed {
			t.Errorf("%s: %s: %s", name, verdict.Reason, verdict.Message)
		}
	}
}

// The reconcile annotation counts as acted on once everything that it requests has been read, or
// has failed.
func TestAReconcileRequestIsHandledOnceItsReadingsHaveEnded(t *testing.T) {
	t.Parallel()
	const token = "now"
	readFor := func(token string, state decide.ReadingState) func(*services.Input) {
		return func(in *services.Input) {
			for _, topic := range []decide.Topic{decide.TopicHealth, decide.TopicCancellation, decide.TopicDisruptions} {
				*in.Memory.Readings.Of(topic) = decide.Reading{State: state, Token: token, RequestedAt: in.Now}
			}
		}
	}
	asked := annotated(v1alpha1.AnnotationReconcile, token)
	for name, row := range map[string]struct {
		asked, read func(*services.Input)
		want        string
	}{
		"nothing was requested":    {func(*services.Input) {}, readFor("", decide.ReadingRecorded), ""},
		"requested, and not read":  {asked, neverRead, ""},
		"read before":              {asked, readFor("before", decide.ReadingRecorded), ""},
		"being read":               {asked, readFor(token, decide.ReadingOpen), ""},
		"read":                     {asked, readFor(token, decide.ReadingRecorded), token},
		"the reading was rejected": {asked, readFor(token, decide.ReadingFailed), token},
	} {
		if got := services.Decide(settled(row.asked, row.read)).Handled.Reconcile; got != row.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// An unknown plan is shown as being read, unless the carrier cannot be called or does not respond.
func TestAFailedReadingIsReportedWithItsCause(t *testing.T) {
	t.Parallel()
	open := func(failures int) func(*services.Input) {
		return func(in *services.Input) {
			failing(503, 0)(in)
			in.Memory.Readings.Health.State, in.Memory.Readings.Health.Failures = decide.ReadingOpen, failures
		}
	}
	for name, row := range map[string]struct {
		edit func(*services.Input)
		want string
	}{
		"being read":               {open(0), v1alpha1.ReasonProgressing},
		"two polls have failed":    {open(2), v1alpha1.ReasonProgressing},
		"three polls have failed":  {open(3), v1alpha1.ReasonCarrierUnavailable},
		"it cannot be requested":   {failing(503, 0), v1alpha1.ReasonCarrierUnavailable},
		"it is rejected":           {failing(422, 0), v1alpha1.ReasonPlanUnknown},
		"the service is hidden":    {failing(404, 0), v1alpha1.ReasonNotFoundOrForbidden},
		"the response has no plan": {emptyOnce(decide.ReadingRecorded), v1alpha1.ReasonPlanUnknown},
		"the response had no plan, and the next request failed": {
			emptyOnce(decide.ReadingFailed), v1alpha1.ReasonCarrierUnavailable,
		},
	} {
		if verdict := services.Decide(settled(planUnknown, row.edit)).Verdict; verdict.Reason != row.want {
			t.Errorf("%s: %s (%s)", name, verdict.Reason, verdict.Message)
		}
	}
}

// emptyOnce is health after one response without a plan, with the reading in the given state.
func emptyOnce(state decide.ReadingState) func(*services.Input) {
	return func(in *services.Input) {
		failing(503, 0)(in)
		in.Memory.Readings.Health.State, in.Memory.Readings.Health.Empty = state, 1
	}
}
