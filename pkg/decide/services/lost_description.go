// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The reasons for these rules are in docs/design/0027-a-description-proves-a-change.md.

// requestedValue is a value that a request sets: as it was described before, as requested, and as it
// is described now.
type requestedValue struct{ before, asked, shown string }

func requestedValues(in *Input, open *v1alpha1.Request) []requestedValue {
	before, target, now := v1alpha1.DescribedValues{}, open.Target, in.Memory.Readings.Service.Service
	if open.Before.Described != nil {
		before = *open.Before.Described
	}
	return slices.DeleteFunc([]requestedValue{
		{before.Plan, target.Plan, now.Plan},
		{before.RestorationSLA, target.RestorationSLA, now.RestorationSLA},
		{before.AggregationMethod, target.AggregationMethod, now.AggregationMethod},
		{before.DSLStabilityProfile, target.DSLStabilityProfile, now.DSLStabilityProfile},
	}, func(value requestedValue) bool { return value.asked == "" })
}

// distinguishes reports whether a description can show that a request was carried out: each value
// that the request sets was described right before it, and at least one of them differed. A term
// is not described, so a change of the term alone is never proven.
func distinguishes(values []requestedValue) bool {
	isUnknown := func(value requestedValue) bool { return value.before == "" }
	differs := func(value requestedValue) bool { return !decide.SameName(value.before, value.asked) }
	return !slices.ContainsFunc(values, isUnknown) && slices.ContainsFunc(values, differs)
}

func isProvableByDescription(in *Input, open *v1alpha1.Request) bool {
	return readsService(in) && distinguishes(requestedValues(in, open))
}

// isProvenByDescription reports whether the description proves that a request was carried out: it
// was read late enough, lists no modification, and shows the requested values (see
// docs/serviceread.md). For a request of class Converge, the earlier description does not matter,
// because the request has reached its target. A description without the values does not prove the
// opposite.
func isProvenByDescription(in *Input, open *v1alpha1.Request) bool {
	values, reading := requestedValues(in, open), &in.Memory.Readings.Service
	counts := isDescribed(in) && !reading.Service.Modified && askedAfter(in, open, reading.RequestedAt)
	converges := len(values) > 0 && decide.ClassOf(open.Operation, open.Target) == carrier.ClassConverge
	if !counts || !converges && !distinguishes(values) {
		return false
	}
	return !slices.ContainsFunc(values, func(value requestedValue) bool {
		return !decide.SameName(value.shown, value.asked)
	})
}

// proofAfter is the time from the intent of an attempt until a description can prove its outcome.
// The attempt ends within a minute: at most 10 s pass until the dial (R13) and 45 s until the
// response. In the other 15 s, the carrier may not show yet a change that it has accepted.
const proofAfter = time.Minute + 15*time.Second

// askedAfter reports whether a reading was requested long enough after an attempt to prove its
// outcome. Both the recorded time of the intent and the time when this process first saw the
// attempt count (R19), because a clock that is behind may have written the recorded time. They
// are compared separately, because only the local time has a monotonic clock.
func askedAfter(in *Input, open *v1alpha1.Request, at time.Time) bool {
	recorded, seen := provesFrom(in, open)
	return !at.Before(recorded) && !at.Before(seen)
}

// provesFrom returns the times from which a reading counts: by the record, and by the local clock.
func provesFrom(in *Input, open *v1alpha1.Request) (recorded, seen time.Time) {
	recorded = in.Past(open.SubmittedAt).Add(proofAfter + decide.StatusPrecision)
	return recorded, in.Memory.Attempts[open.AttemptID].FirstSeen.Add(proofAfter)
}

// countsFrom is the time from which a reading shows whether a request was carried out. An
// accepted request may be carried out later, for as long as its Location is polled.
func countsFrom(in *Input, open *v1alpha1.Request) time.Time {
	from := decide.Later(provesFrom(in, open))
	if open.Phase == v1alpha1.PhaseInProgress {
		from = decide.Later(from, in.Past(open.LostSince).Add(decide.HandleGrace))
	}
	return from
}

// nextDescription returns when the description is read next for the outcome of a request; zero if
// there is no further time. While the description lists a modification, which may be this request,
// it is read repeatedly until the request is overdue.
func nextDescription(in *Input, open *v1alpha1.Request) time.Time {
	from, reading := countsFrom(in, open), &in.Memory.Readings.Service
	for _, after := range []time.Duration{0, time.Minute, 9 * time.Minute, 29 * time.Minute} {
		if at := from.Add(after); at.After(reading.RequestedAt) {
			return at
		}
	}
	contract, _ := carrier.ContractOf(carrier.Operation(open.Operation))
	again := reading.RequestedAt.Add(decide.InProgressPause(reading.Modified))
	if reading.Modified == 0 || again.After(from.Add(contract.Poll.Usual)) {
		return time.Time{}
	}
	return again
}
