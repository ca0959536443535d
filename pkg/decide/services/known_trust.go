// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"
	"strconv"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// assumeUnread records, as the carrier's, values that it has not shown: those of the order that
// created the service, and declared values if a person trusts them, in advance with trustDeclared
// or unknownValues, or with the trust annotation for the changes that are shown.
func assumeUnread(in *Input) {
	fillFromOrder(in)
	trustUnreadable(in)
	trustResult(in)
	switch plan := in.Service.LastKnown().Plan; {
	case in.Service.Spec.Plan == nil:
	case plan == nil:
		trustPlan(in)
	default:
		trustSpelling(in, plan)
	}
}

// fillFromOrder takes values from the order that created the service, where nothing newer is known.
func fillFromOrder(in *Input) {
	order := in.Order
	if order == nil || order.ServiceID != in.Service.ServiceNumber() {
		return
	}
	state := &v1alpha1.CarrierState{} // the recorded state stays unchanged if no value is taken
	if known := in.Service.Status.Carrier; known != nil {
		state = known
	}
	if state.AVCID == "" {
		state.AVCID = decide.Bounded(order.AVCID, 64)
	}
	for _, aspect := range []struct {
		operation v1alpha1.Operation
		ordered   *v1alpha1.KnownValue
		known     **v1alpha1.KnownValue
	}{
		{v1alpha1.OperationPlanChange, ordered(in, order.Plan), &state.Plan},
		{v1alpha1.OperationPlanChange, orderedTerm(in), &state.Term},
		{v1alpha1.OperationPlanChange, ordered(in, order.RestorationSLA), &state.RestorationSLA},
		{v1alpha1.OperationAggregationConversion, ordered(in, order.AggregationMethod), &state.AggregationMethod},
	} {
		if aspect.ordered != nil && *aspect.known == nil && in.Subject.Record().RequestOf(aspect.operation) == nil {
			*aspect.known = aspect.ordered
			in.Service.Status.Carrier = state
		}
	}
}

func ordered(in *Input, value string) *v1alpha1.KnownValue {
	if value == "" {
		return nil
	}
	return knownValue(decide.Bounded(value, 200), v1alpha1.SourceOrder, in.Now)
}

// orderedTerm returns the term of the plan that was ordered; nil if the order does not have both,
// or if the service has had another plan since.
func orderedTerm(in *Input) *v1alpha1.KnownValue {
	plan := in.Service.LastKnown().Plan
	if in.Order.Term == 0 || in.Order.Plan == "" || plan != nil && plan.Source != v1alpha1.SourceOrder {
		return nil
	}
	return knownTerm(decide.Bounded(in.Order.Plan, 200), in.Order.Term, v1alpha1.SourceOrder, in.Now)
}

// trustUnreadable records the declared values in place of those that cannot be read.
func trustUnreadable(in *Input) {
	state := in.Service.LastKnown() // the recorded state stays unchanged if no value is taken
	for _, value := range unreadValues(in, &state) {
		known := *value.known
		isKnown := known != nil && (decide.SameName(known.Value, value.declared) || !isUnconfirmed(in, value.field))
		if isKnown || willBeDescribed(in, value.field) {
			continue
		}
		change := v1alpha1.Change{Operation: value.operation, Field: value.field, To: value.declared}
		// Trust in advance never replaces what the carrier has shown.
		if known == nil && trusts(in, value.operation, value.trusted) || takeTrust(in, change) {
			*value.known = knownValue(value.declared, v1alpha1.SourceDeclared, in.Now)
			in.Service.Status.Carrier = &state
		}
	}
}

// trustPlan records the declared plan as the carrier's. If trustDeclared lists the plan, it is not
// read. Otherwise it is trusted only if unknown values are trusted and the plan cannot be read.
func trustPlan(in *Input) {
	named := slices.Contains(in.Service.Spec.TrustDeclared, v1alpha1.TrustPlan)
	readable := decide.CheckSupported(&in.Input, carrier.Health) == nil || willBeDescribed(in, decide.FieldPlan)
	if !trusts(in, v1alpha1.OperationPlanChange, v1alpha1.TrustPlan) || !named && readable {
		return
	}
	declared, state := in.Service.Spec.Plan, carrierState(in.Service)
	state.Plan = knownValue(declared.Name, v1alpha1.SourceDeclared, in.Now)
	state.Term = knownTerm(declared.Name, declared.Term, v1alpha1.SourceDeclared, in.Now)
}

// trustSpelling records, if that is trusted, that the plan from health is the declared one in
// another spelling.
func trustSpelling(in *Input, plan *v1alpha1.KnownValue) {
	declared := in.Service.Spec.Plan.Name
	offersRead := quoteFresh(in) && in.Memory.Readings.Options.State == decide.ReadingAnswered
	trusted := trustsUnknown(in) && offersRead && isUnlisted(in)
	change := v1alpha1.Change{
		Operation: v1alpha1.OperationPlanChange, Field: decide.FieldPlan, From: plan.Value, To: declared,
	}
	if !isAtFirstSight(in) || !trusted && !takeTrust(in, change) {
		return
	}
	declaredPlan := knownValue(declared, v1alpha1.SourceDeclared, in.Now)
	declaredPlan.AsHealth = plan.Value
	in.Service.Status.Carrier.Plan = declaredPlan
}

// trusts reports whether a declared value is trusted in advance. This is only possible while no
// request of the operation that changes the value is recorded.
func trusts(in *Input, operation v1alpha1.Operation, aspect v1alpha1.TrustedAspect) bool {
	listed := slices.Contains(in.Service.Spec.TrustDeclared, aspect)
	return in.Subject.Record().RequestOf(operation) == nil && (listed || trustsUnknown(in))
}

// takeTrust handles the trust annotation for the shown changes, and reports whether it covers the
// given change. If a request for the change is in progress, its result is awaited instead.
func takeTrust(in *Input, change v1alpha1.Change) bool {
	shown, given := in.Service.Status.Pending, decide.Control(in.Subject, v1alpha1.AnnotationTrust)
	open := in.Subject.Record().RequestOf(change.Operation)
	if shown == nil || given != shown.Hash || open != nil && !open.Phase.Ended() {
		return false
	}
	answered := slices.ContainsFunc(shown.Changes, func(asked v1alpha1.Change) bool {
		return asked.Unknown && asked.Operation == change.Operation && asked.Field == change.Field &&
			asked.From == change.From && asked.To == change.To
	})
	if answered {
		in.Service.Status.Handled.Trust = given
	}
	return answered
}

func trustsUnknown(in *Input) bool {
	return decide.UnknownValuesPolicy(&in.Input, in.Service.Spec.UnknownValues) == v1alpha1.UnknownTrust
}

// trustResult records that names in the result of our last plan change are the requested ones, if a
// person says so and the carrier offers nothing else under these names.
func trustResult(in *Input) {
	last := decide.ReachedOf(&in.Input, v1alpha1.OperationPlanChange)
	if !trustsResult(in, last) || !quoteFresh(in) {
		return
	}
	in.Service.Status.Handled.Trust = last.AttemptID
	state := in.Service.Status.Carrier
	for _, name := range otherNames(in, last) {
		shown := *name.known
		*name.known = knownValue(name.requested, v1alpha1.SourceDeclared, in.Now)
		(*name.known).AsHealth = shown.AsHealth
		if term := state.Term; name.known == &state.Plan && term != nil && term.Plan == shown.Value {
			term.Plan = name.requested
		}
	}
}

// trustsResult reports whether the trust annotation confirms that the result of an attempt shows
// the requested values.
func trustsResult(in *Input, last *v1alpha1.Request) bool {
	given := decide.Control(in.Subject, v1alpha1.AnnotationTrust)
	return decide.ResultDiffers(last) && given == last.AttemptID && given != in.Service.Status.Handled.Trust
}

// The carrier may spell a plan or an SLA in the result of a change in another way than in its
// offers. Only a person knows whether a name that the carrier does not offer is the requested one.

// otherName is the name that a result shows instead of the requested one.
type otherName struct {
	requested string
	known     **v1alpha1.KnownValue
}

// otherNames returns the names in the result of our last plan change that may be the requested
// ones, spelled differently. The plan that the service had before is another one, and so is every
// plan and SLA that the carrier is known to offer.
func otherNames(in *Input, last *v1alpha1.Request) []otherName {
	state := in.Service.Status.Carrier
	if state == nil || last.Operation != v1alpha1.OperationPlanChange {
		return nil
	}
	var found []otherName
	for _, name := range []struct {
		requested string
		known     **v1alpha1.KnownValue
		isOther   func(*Input, string) bool
	}{
		{last.Target.Plan, &state.Plan, func(in *Input, shown string) bool {
			return offers(in, shown) || decide.SameName(shown, last.Before.Plan)
		}},
		{last.Target.RestorationSLA, &state.RestorationSLA, offersSLA},
	} {
		shown := (*name.known).ValueOrEmpty()
		if name.requested != "" && shown != "" && !decide.SameName(shown, name.requested) && !name.isOther(in, shown) {
			found = append(found, otherName{name.requested, name.known})
		}
	}
	return found
}

func offers(in *Input, name string) bool {
	return slices.ContainsFunc(in.Memory.Readings.Options.Options.Plans, func(offer carrier.Plan) bool {
		return decide.SameName(offer.Plan, name)
	})
}

func offersSLA(in *Input, name string) bool {
	return slices.ContainsFunc(in.Memory.Readings.Options.Options.SLAs, func(offer carrier.SLA) bool {
		return decide.SameName(offer.SLA, name)
	})
}

func quoteFresh(in *Input) bool {
	reading := &in.Memory.Readings.Options
	return reading.Ended() && decide.AgeOf(&in.Input, reading) < decide.QuoteAge
}

// shownPlan returns the changes that the status shows for an operation, with the prices that a
// person sees. The prices are shown until they are read again, which happens before anything is
// sent.
func shownPlan(in *Input, operation v1alpha1.Operation) []v1alpha1.Change {
	if in.Service.Status.Pending == nil {
		return nil
	}
	return v1alpha1.ChangesBy(in.Service.Status.Pending.Changes, operation)
}

// isUnlisted reports whether the plan named in health is not known to be offered for the service,
// so that the requested change may be one to the same plan. Offers that are too old are not read
// again for this check, because the shown changes still contain its result.
func isUnlisted(in *Input) bool {
	switch {
	case !comparesSpelling(in):
		return false
	case quoteFresh(in):
		return !offers(in, in.Service.LastKnown().Plan.Value)
	}
	return decide.HasUnknown(decide.ChangesOf(shownPlan(in, v1alpha1.OperationPlanChange), decide.FieldPlan))
}

// comparesSpelling reports whether the carrier's offers have to be read before a plan with a
// different name counts as different from the declared one: health may spell the same plan
// differently.
func comparesSpelling(in *Input) bool {
	declared := in.Service.Spec.Plan
	return declared != nil && isAtFirstSight(in) && !decide.SameName(declared.Name, in.Service.LastKnown().Plan.Value) &&
		decide.UnknownValuesPolicy(&in.Input, in.Service.Spec.UnknownValues) != v1alpha1.UnknownRequest
}

// isAtFirstSight reports whether the plan is only known by its name in health: no request of ours
// may have changed it, and no person has confirmed it. After a lost ledger, an earlier request
// may have set the declared plan, and health may have another name for it.
func isAtFirstSight(in *Input) bool {
	plan, last := in.Service.LastKnown().Plan, decide.ReachedOf(&in.Input, v1alpha1.OperationPlanChange)
	return plan != nil && plan.Source == v1alpha1.SourceHealth && in.Ledger.Baseline() == nil &&
		(last == nil || decide.MayOrderAgain(last.Phase) || decide.StandsForLostLedger(last))
}

// isUnconfirmed reports whether a value is known from an earlier description of the service, and
// the carrier refuses to describe the service now, fails to, or leaves the value out. It may have
// changed since, so a change of it needs an approval (R7). Another process sees it in the recorded
// plan of changes, until it has read the description itself.
func isUnconfirmed(in *Input, field string) bool {
	state := in.Service.LastKnown()
	for _, value := range describedValues(in, &state) {
		switch {
		case value.field != field || !isFromService(*value.known):
		case !readsService(in):
			return true
		case isDescribed(in):
			return value.shown == ""
		default:
			return in.Service.Status.ObservedGeneration == in.Service.Generation && showsUnread(in, field)
		}
	}
	return false
}

func isFromService(value *v1alpha1.KnownValue) bool {
	return value != nil && value.Source == v1alpha1.SourceService
}

// showsUnread reports whether the recorded plan of changes lacks the old value of a field.
func showsUnread(in *Input, field string) bool {
	pending := in.Service.Status.Pending
	return pending != nil && slices.ContainsFunc(pending.Changes, func(change v1alpha1.Change) bool {
		return change.Field == field && change.From == ""
	})
}

// willBeDescribed reports whether a declared value is about to be read from the description of the
// service. Such a value is not trusted without being read.
func willBeDescribed(in *Input, field string) bool {
	for _, value := range describedValues(in, &v1alpha1.CarrierState{}) {
		if value.field == field {
			return readsService(in) && isUndescribed(in, &value)
		}
	}
	return false
}

// isUndescribed reports whether a declared value is about to be read from the description: it is
// unknown, or only its name in health is known. The description of a service without DSL has no
// DSL profile, so a new process does not read it again just for the profile.
func isUndescribed(in *Input, value *describedValue) bool {
	known := *value.known
	switch {
	case value.declared == "" && (value.field != decide.FieldPlan || !needsPlan(in)):
		return false
	case known != nil:
		return known.Source == v1alpha1.SourceHealth && in.Memory.Readings.Service.State == decide.ReadingNone
	case isDescribed(in):
		return value.shown != ""
	}
	return value.field != fieldDSLProfile || !wasDescribed(in)
}

// needsPlan reports whether the carrier's plan is needed: a plan is declared, or an SLA, which is
// sent together with the current plan.
func needsPlan(in *Input) bool {
	return in.Service.Spec.Plan != nil || in.Service.Spec.RestorationSLA != ""
}

// wasDescribed reports whether the status has a value from the carrier's description of the
// service. All processes agree on this, because it depends only on the status.
func wasDescribed(in *Input) bool {
	known := in.Service.LastKnown()
	return slices.ContainsFunc(describedValues(in, &known), func(value describedValue) bool {
		return isFromService(*value.known)
	})
}

func knownTerm(plan string, term int32, source v1alpha1.ValueSource, now time.Time) *v1alpha1.KnownValue {
	known := knownValue(strconv.Itoa(int(term)), source, now)
	known.Plan = plan
	return known
}

func unreadValues(in *Input, state *v1alpha1.CarrierState) []describedValue {
	return slices.DeleteFunc(describedValues(in, state), func(value describedValue) bool {
		return value.field == decide.FieldPlan || value.declared == ""
	})
}
