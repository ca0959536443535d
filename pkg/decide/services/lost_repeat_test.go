// SPDX-License-Identifier: Apache-2.0

package services_test

import (
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

// A 422 after a lost response may be the result of the first attempt.
func TestARejectedRepeatProvesNothing(t *testing.T) {
	t.Parallel()
	for _, repeated := range []struct {
		operation v1alpha1.Operation
		want      v1alpha1.RequestPhase
	}{
		{v1alpha1.OperationDSLStabilityProfileChange, v1alpha1.PhaseOutcomeUnknown},
		{v1alpha1.OperationReclaim, v1alpha1.PhaseOutcomeUnknown},
		{v1alpha1.OperationCancellationReschedule, v1alpha1.PhaseSubmitting}, // a read will show the outcome
		{v1alpha1.OperationCancellationAbort, v1alpha1.PhaseSubmitting},
	} {
		request := v1alpha1.Request{
			Operation: repeated.operation, Phase: v1alpha1.PhaseRejected, Repeats: 1,
			Error: &v1alpha1.RequestError{HTTPStatus: 422, Code: "constraints.some.rule"},
		}
		if got := decide.PhaseOfRefusal(&request, nil); got != repeated.want {
			t.Errorf("%s is %s, want %s", repeated.operation, got, repeated.want)
		}
	}
}

// A repeat does not take over the unknown outcome of the attempt before it.
func TestARepeatStartsWithoutThePreviousOutcome(t *testing.T) {
	t.Parallel()
	view := settled(stable, with(v1alpha1.PhaseInProgress, func(r *v1alpha1.Request) {
		r.Operation = v1alpha1.OperationDSLStabilityProfileChange
		r.Target = v1alpha1.RequestTarget{DSLStabilityProfile: "Stable"}
		r.Location, r.LostSince = "/api/connect/requests/1", metav1.NewTime(r.SubmittedAt.Add(time.Minute))
	}), at(25*time.Hour))
	submit, ok := services.Decide(view).Step.(decide.Submit)
	if !ok {
		t.Fatalf("%s: what was lost for a day is not asked for again", decidetest.StepName(services.Decide(view).Step))
	}
	again := submit.Request
	if again.Attempt != 2 || again.Repeats != 1 || again.Location != "" || !again.LostSince.IsZero() {
		t.Errorf("the repeat is attempt %d, with %d repeats, Location %q, lost since %s",
			again.Attempt, again.Repeats, again.Location, again.LostSince)
	}
}

// A repeat of an approved request is sent only while the approval stands.
func TestARepeatWaitsIfItsApprovalWasWithdrawn(t *testing.T) {
	t.Parallel()
	approvedAs := func(hash string) func(*services.Input) {
		return with(v1alpha1.PhaseInProgress, func(r *v1alpha1.Request) {
			r.Operation = v1alpha1.OperationDSLStabilityProfileChange
			r.Target = v1alpha1.RequestTarget{DSLStabilityProfile: "Stable"}
			r.Location, r.LostSince = "/api/connect/requests/1", metav1.NewTime(r.SubmittedAt.Add(time.Minute))
			r.ApprovedHash = hash
		})
	}
	none := func(*services.Input) {}
	for name, test := range map[string]struct {
		approved, stands func(*services.Input)
		sent             bool
	}{
		"it needed no approval":      {approvedAs(""), none, true},
		"the approval stands":        {approvedAs(shownHash), annotated(v1alpha1.AnnotationApprove, shownHash), true},
		"the approval was withdrawn": {approvedAs(shownHash), none, false},
		"something else is approved": {approvedAs(shownHash), annotated(v1alpha1.AnnotationApprove, "p0"), false},
	} {
		decision := services.Decide(settled(stable, test.approved, test.stands, at(25*time.Hour)))
		verdict := decision.Verdict
		waits := verdict.Reason == v1alpha1.ReasonAwaitingApproval &&
			strings.HasPrefix(verdict.Message, "the approval "+shownHash+" was withdrawn")
		if _, sent := decision.Step.(decide.Submit); sent != test.sent || waits == test.sent {
			t.Errorf("%s: %s, %s (%s)", name, decidetest.StepName(decision.Step), verdict.Reason, verdict.Message)
		}
	}
}

// underApproval sets the account's approval policy.
func underApproval(policy v1alpha1.Approval) func(*services.Input) {
	return func(in *services.Input) { in.Account.Object.Spec.Approval = policy }
}

// profileLost is a change of the profile to Stable whose response was lost; its repeat is due.
func profileLost(edits ...func(*v1alpha1.Request)) func(*services.Input) {
	own := func(r *v1alpha1.Request) { r.UID = "u-1" }
	return func(in *services.Input) {
		with(v1alpha1.PhaseSubmitting, append([]func(*v1alpha1.Request){lost, profileRepeated(0), own}, edits...)...)(in)
		at(15 * time.Minute)(in)
	}
}

func approvedAs(hash string) func(*v1alpha1.Request) {
	return func(r *v1alpha1.Request) { r.ApprovedHash = hash }
}

// "A repeat is sent only if the operator would send the same request now, had it not sent it before"
// (R33).
func TestR33AProfileIsSentAgainOnlyIfItIsStillWanted(t *testing.T) {
	const always, onCost = v1alpha1.ApprovalAlways, v1alpha1.ApprovalOnCost
	approved := annotated(v1alpha1.AnnotationApprove, shownHash)
	declared := func(profile string) func(*services.Input) {
		return func(in *services.Input) { in.Service.Spec.DSLStabilityProfile = profile }
	}
	changed := with(v1alpha1.PhaseSucceeded, func(r *v1alpha1.Request) { r.AttemptID, r.UID = "a-0", "u-1" })
	unknown := working("Resolve OutcomeUnknown")
	cases{
		"it is still declared":        {settled(stable, profileLost()), working("Submit")},
		"in other capitals":           {settled(declared("STABLE"), profileLost()), working("Submit")},
		"it is no longer declared":    {settled(profileLost()), unknown},
		"another one is declared":     {settled(declared("Fast"), profileLost()), unknown},
		"which may change until then": {settled(declared("Fast"), profileLost(), at(14*time.Minute)), working("Rest")},
		"the service is cancelled by now": {
			settled(stable, endsOn(carrier.CancellationCompleted, "2026-02-20"), profileLost()), unknown,
		},
		"the account's version has no profiles by now": {
			settled(stable, profileLost(), apiVersion(3)), judged{"Rest", decide.Stuck, "UnsupportedByAPIVersion"},
		},
		"and it is no longer declared, either": {settled(profileLost(), apiVersion(3)), unknown},
		"nothing is sent at all": {
			settled(declared("Fast"), profileLost(), planned), judged{"Rest", decide.Waiting, "Planned"},
		},
		"it has to be approved by now": {settled(stable, profileLost(), underApproval(always)), unknown},
		"and it is approved": {
			settled(stable, profileLost(approvedAs(shownHash)), approved, underApproval(always)), working("Submit"),
		},
		"as the first change by now": {settled(stable, profileLost(), underApproval(onCost)), unknown},
		"which it is not":            {settled(stable, changed, profileLost(), underApproval(onCost)), working("Submit")},
		"approved before another edit": {
			settled(stable, profileLost(approvedAs(shownHash), func(r *v1alpha1.Request) { r.Generation = 2 }), approved,
				underApproval(always)), unknown,
		},
		"approved for the object before this one": {
			settled(stable, profileLost(approvedAs(shownHash), func(r *v1alpha1.Request) { r.TakenOver = true }), approved,
				underApproval(always)), unknown,
		},
	}.run(t)
}

// A profile is only set, so its change has reached its target if the description shows it, whatever
// was known before. Nobody is asked because of what is read too early.
func TestR33AProfileThatIsDescribedByNowIsNotSentAgain(t *testing.T) {
	describes := func(after time.Duration, profile string, modified bool) func(*services.Input) {
		return func(in *services.Input) {
			describing(after, decide.ServiceValues{
				DescribedValues: v1alpha1.DescribedValues{DSLStabilityProfile: profile}, Modified: modified,
			})(in)
			in.Memory.Readings.Service.Elapsed = in.Elapsed
			in.Service.Status.Carrier.DSLStabilityProfile = &v1alpha1.KnownValue{
				Value: profile, Source: v1alpha1.SourceService, Since: metav1.NewTime(decidetest.Start().Add(after)),
			}
		}
	}
	fast := func(in *services.Input) { in.Service.Spec.DSLStabilityProfile = "Fast" }
	open := with(v1alpha1.PhaseOutcomeUnknown, lost, profileRepeated(0))
	undescribed := func(in *services.Input) {
		in.Memory.Readings.Service.State, in.Memory.Readings.Service.Failures = decide.ReadingFailed, decide.FailuresShown
	}
	const counts, late = 76 * time.Second, 14 * time.Minute
	done, unknown := working("Resolve Succeeded"), working("Resolve OutcomeUnknown")
	read, busy := working("StartReading service"), judged{"Rest", decide.Working, "ChangeInProgress"}
	cases{
		"it is":                     {settled(stable, profileLost(), describes(late, "Stable", false)), done},
		"as soon as that counts":    {settled(stable, profileLost(), describes(counts, "Stable", false)), done},
		"it was read too early":     {settled(stable, profileLost(), describes(counts-1, "Stable", false)), read},
		"it is being modified":      {settled(stable, profileLost(), describes(late, "Stable", true)), busy},
		"it is not":                 {settled(stable, profileLost(), describes(late, "Slow", false)), working("Submit")},
		"it is not, by an old one":  {settled(stable, profileLost(), describes(4*time.Minute, "Slow", false)), read},
		"another one is declared":   {settled(fast, profileLost(), describes(late, "Stable", false)), done},
		"and it is being modified":  {settled(fast, profileLost(), describes(late, "Stable", true)), busy},
		"and it was read too early": {settled(fast, profileLost(), describes(counts-1, "Stable", false)), read},
		"and shown, or never was":   {settled(fast, profileLost(), describes(late, "Fast", false)), unknown},
		"and another one is shown":  {settled(fast, profileLost(), describes(late, "Slow", false)), unknown},
		"and nothing can be read":   {settled(fast, profileLost(), describes(late, "Slow", false), undescribed), unknown},
		"a person was asked before": {settled(stable, open, describes(late, "Stable", false)), done},
		"by what was read too early": {
			settled(stable, open, describes(counts-1, "Stable", false)), judged{"Rest", decide.Stuck, "OutcomeUnknown"},
		},
		"a new process has read it": {
			settled(stable, profileLost(), describes(15*time.Minute, "Stable", false), firstSeenAt(15*time.Minute)),
			working("Rest"),
		},
	}.run(t)
}

func TestR33AReclaimIsSentAgainOnlyIfTheServiceIsStillCancelled(t *testing.T) {
	of := func(disconnection v1alpha1.Disconnection) func(*services.Input) {
		return func(in *services.Input) { in.Service.Spec.Disconnection = disconnection }
	}
	reclaiming, reporting := of(v1alpha1.DisconnectionReclaim), of(v1alpha1.DisconnectionReport)
	reclaim := func(phase v1alpha1.RequestPhase) func(*services.Input) {
		return func(in *services.Input) {
			with(phase, lost, func(r *v1alpha1.Request) {
				r.Operation, r.Target, r.Location = v1alpha1.OperationReclaim, v1alpha1.RequestTarget{}, ""
			})(in)
			at(16 * time.Minute)(in)
		}
	}
	readLongAgo := func(in *services.Input) {
		in.Memory.Readings.Cancellation.RequestedAt = decidetest.Start().Add(time.Minute)
	}
	readAtOnce := func(in *services.Input) {
		in.Memory.Readings.Cancellation.RequestedAt = decidetest.Start().Add(time.Second)
	}
	unread := func(in *services.Input) { in.Service.Status.Carrier.Cancellation = nil }
	hidden := func(in *services.Input) {
		unread(in)
		in.Memory.Readings.Cancellation = decide.Reading{
			State: decide.ReadingFailed, Generation: in.Service.Generation, RequestedAt: in.Now,
			RetryAt: in.Now.Add(decide.ForbiddenPause), Err: &carrier.Error{HTTPStatus: 404, Class: carrier.NotFoundOrForbidden},
		}
	}
	gone, back := endsOn(carrier.CancellationCompleted, "2026-02-20"), endsOn("", "")
	const open, unknown = v1alpha1.PhaseSubmitting, v1alpha1.PhaseOutcomeUnknown
	read := working("StartReading cancellation")
	unlessRead, done := working("Resolve OutcomeUnknown"), working("Resolve Succeeded")
	cases{
		"it is":                        {settled(reclaiming, gone, reclaim(open), justRead), working("Submit")},
		"it is, but was read long ago": {settled(reclaiming, gone, reclaim(open), justRead, readLongAgo), read},
		"it is not":                    {settled(reclaiming, back, reclaim(open), justRead), done},
		"which is found later":         {settled(reclaiming, back, reclaim(unknown), justRead), done},
		"which is only reported now":   {settled(reporting, gone, reclaim(open), justRead), unlessRead},
		"and it is connected":          {settled(reporting, back, reclaim(open), justRead), done},
		"and it was read long ago":     {settled(reporting, gone, reclaim(open), justRead, readLongAgo), read},
		"it is not, but was read long ago": {
			settled(reclaiming, back, reclaim(open), justRead, readAtOnce), read,
		},
		"its cancellation is not known":    {settled(reclaiming, back, reclaim(open), justRead, unread), read},
		"and this process has not read it": {settled(reclaiming, unread, reclaim(open)), read},
		"and the carrier does not show it": {
			settled(reclaiming, back, reclaim(open), hidden), judged{"Rest", decide.Stuck, "NotFoundOrForbidden"},
		},
	}.run(t)
}

func TestR33ACancellationIsAlteredAgainOnlyIfThatIsStillWanted(t *testing.T) {
	requested := endsOn(carrier.CancellationRequested, "2026-11-30")
	abort := rescheduling(v1alpha1.PhaseSubmitting, lost, func(r *v1alpha1.Request) {
		r.Operation, r.Target = v1alpha1.OperationCancellationAbort, v1alpha1.RequestTarget{}
	})
	move := rescheduling(v1alpha1.PhaseSubmitting, lost)
	readAt := func(after time.Duration) func(*services.Input) {
		return func(in *services.Input) {
			in.Memory.Readings.Cancellation = decide.Reading{
				State: decide.ReadingRecorded, Generation: in.Service.Generation, RequestedAt: decidetest.Start().Add(after),
			}
			in.Now = decidetest.Start().Add(after + time.Second)
		}
	}
	drifted := func(policy v1alpha1.DriftPolicy) func(*services.Input) {
		return func(in *services.Input) {
			in.Service.Spec.DriftPolicy, in.Service.Status.Carrier.Cancellation.Agreed = policy, "none"
		}
	}
	early, late := readAt(15*time.Second), readAt(76*time.Second)
	abandoned := working("Resolve Abandoned")
	accepted := rescheduling(v1alpha1.PhaseInProgress, forgotten, func(r *v1alpha1.Request) {
		r.Operation, r.Target = v1alpha1.OperationCancellationAbort, v1alpha1.RequestTarget{}
	})
	const day = 24 * time.Hour
	aborted, always := endsOn(carrier.CancellationAborted, ""), underApproval(v1alpha1.ApprovalAlways)
	correct, report := drifted(v1alpha1.DriftCorrect), drifted(v1alpha1.DriftReport)
	read, submit := working("StartReading cancellation"), working("Submit")
	cases{
		"an abort that is still declared":       {settled(ending(""), requested, abort, early), submit},
		"nothing is declared: it is read again": {settled(requested, abort, early), working("Rest")},
		"after the attempt has certainly ended": {settled(requested, abort, early, at(76*time.Second)), read},
		"and nothing has happened":              {settled(requested, abort, late), abandoned},
		"the abort was carried out":             {settled(aborted, abort, early), working("Resolve Succeeded")},
		"a date is declared instead":            {settled(ending("2026-12-31"), requested, abort, late), abandoned},
		"a reschedule that is still declared":   {settled(ending("2026-12-31"), requested, move, early), submit},
		"another date is declared":              {settled(ending("2027-12-31"), requested, move, late), abandoned},
		"the cancellation is to be aborted":     {settled(ending(""), requested, move, late), abandoned},
		"it has to be approved by now":          {settled(ending(""), requested, abort, late, always), abandoned},
		"a correction of drift":                 {settled(ending(""), requested, correct, abort, early), submit},
		"drift that is only reported now":       {settled(ending(""), requested, report, abort, late), abandoned},

		"a reading of ten minutes ago": {
			settled(ending(""), requested, abort, early, at(10*time.Minute+15*time.Second)), submit,
		},
		"an older reading": {settled(ending(""), requested, abort, early, at(10*time.Minute+16*time.Second)), read},
		"an older reading, and it is not declared": {
			settled(requested, abort, late, at(10*time.Minute+77*time.Second)), read,
		},
		"its Location was lost":         {settled(ending(""), requested, accepted, readAt(day)), submit},
		"and it is not declared":        {settled(requested, accepted, readAt(day)), abandoned},
		"and was read before that":      {settled(requested, accepted, readAt(day-1), at(day)), read},
		"and was carried out meanwhile": {settled(aborted, accepted, readAt(day)), working("Resolve Succeeded")},
	}.run(t)
}
