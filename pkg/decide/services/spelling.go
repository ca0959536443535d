// SPDX-License-Identifier: Apache-2.0

package services

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The carrier may spell a plan or an SLA in the result of a change in another way than in its offers.
// Only a person knows whether a name that the carrier does not offer is the requested one.

// otherName is the name that a result shows instead of the requested one.
type otherName struct {
	requested string
	held      **v1alpha1.KnownValue
}

// otherNames returns the names in the result of our last plan change that may be the requested ones,
// spelled differently. The plan that the service had before is another one, and so is every plan and
// SLA that the carrier is known to offer.
func otherNames(in *Input, last *v1alpha1.Request) []otherName {
	state := in.Service.Status.Carrier
	if state == nil || last.Operation != v1alpha1.OperationPlanChange {
		return nil
	}
	var found []otherName
	for _, name := range []struct {
		requested string
		held      **v1alpha1.KnownValue
		isOther   func(*Input, string) bool
	}{
		{last.Target.Plan, &state.Plan, func(in *Input, shown string) bool {
			return offers(in, shown) || decide.SameName(shown, last.Before.Plan)
		}},
		{last.Target.RestorationSLA, &state.RestorationSLA, offersSLA},
	} {
		shown := (*name.held).ValueOrEmpty()
		if name.requested != "" && shown != "" && !decide.SameName(shown, name.requested) && !name.isOther(in, shown) {
			found = append(found, otherName{name.requested, name.held})
		}
	}
	return found
}

// offersSLA reports whether the carrier is known to offer an SLA.
func offersSLA(in *Input, name string) bool {
	for _, offer := range in.Memory.Readings.Options.Options.SLAs {
		if decide.SameName(offer.SLA, name) {
			return true
		}
	}
	return false
}

// trustsResult reports whether a person says, with the trust annotation, that the result of an attempt
// shows what was requested.
func trustsResult(in *Input, last *v1alpha1.Request) bool {
	given := decide.Control(in.Subject, v1alpha1.AnnotationTrust)
	return decide.ResultDiffers(last) && given == last.AttemptID && given != in.Service.Status.Handled.Trust
}

// orSpelledDifferently adds to the verdict on a result with another name how a person can say that it
// is the requested one. Before that is taken, the carrier's offers are read.
func orSpelledDifferently(in *Input, last *v1alpha1.Request, held *decide.Decision) *decide.Decision {
	switch {
	case trustsResult(in, last) && !quoteFresh(in):
		return askPrice(in)
	case in.Service.Status.Handled.Trust == last.AttemptID:
		held.Verdict.Message += fmt.Sprintf(" (the annotation %s names this attempt, but the carrier is known to use that "+
			"name for something else)", v1alpha1.AnnotationTrust)
	case len(otherNames(in, last)) > 0:
		held.Verdict.Message += "; if it is what was requested, spelled differently, run: " +
			decide.AnnotateCommand(&in.Input, v1alpha1.AnnotationTrust, last.AttemptID)
	}
	held.Verdict.Message += decide.WhyRetryIgnored(&in.Input, last)
	return held
}

// trustResult records that names in the result of our last plan change are the requested ones, if a
// person says so and the carrier does not offer them as others.
func trustResult(in *Input) {
	last := decide.ReachedOf(&in.Input, v1alpha1.OperationPlanChange)
	if !trustsResult(in, last) || !quoteFresh(in) {
		return
	}
	in.Service.Status.Handled.Trust = last.AttemptID
	state := in.Service.Status.Carrier
	for _, name := range otherNames(in, last) {
		shown := *name.held
		*name.held = knownValue(name.requested, v1alpha1.SourceDeclared, in.Now)
		(*name.held).AsHealth = shown.AsHealth
		if term := state.Term; name.held == &state.Plan && term != nil && term.Plan == shown.Value {
			term.Plan = name.requested
		}
	}
}
