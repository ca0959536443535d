// SPDX-License-Identifier: Apache-2.0

package services

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// recordValues records what health, the description of the service and its disruptions show.
func recordValues(in *Input) {
	readings := &in.Memory.Readings
	if readings.Health.State == decide.ReadingAnswered && !isOutdated(in, decide.TopicHealth) {
		recordHealth(in, &readings.Health)
	}
	if readings.Service.State == decide.ReadingAnswered && !isOutdated(in, decide.TopicService) {
		recordDescription(in, &readings.Service)
	}
	forgetAcceptedDrift(in)
	forgetReplacedTerm(in)
	if readings.Disruptions.State == decide.ReadingAnswered {
		recordDisruptions(in, readings.Disruptions.Disruptions)
	}
}

func carrierState(service *v1alpha1.BroadbandService) *v1alpha1.CarrierState {
	if service.Status.Carrier == nil {
		service.Status.Carrier = &v1alpha1.CarrierState{}
	}
	return service.Status.Carrier
}

func knownValue(value string, source v1alpha1.ValueSource, now time.Time) *v1alpha1.KnownValue {
	return &v1alpha1.KnownValue{Value: value, Source: source, Since: v1alpha1.WholeSeconds(now)}
}

// isOutdated reports whether a request that changed the topic ended after the reading was
// requested. If two managers are active, the other one may have sent that request. This process's
// reading is then older than the recorded state.
func isOutdated(in *Input, topic decide.Topic) bool {
	return in.Memory.Readings.Of(topic).RequestedAt.Before(decide.ChangedAt(&in.Input, topic))
}

func recordHealth(in *Input, reading *decide.Reading) {
	state, health := carrierState(in.Service), reading.Health
	state.TechnologyType = decide.Bounded(health.TechnologyType, 64)
	state.LocationID = decide.Bounded(health.LocationID, 64)
	state.AVCID, state.PRIID = decide.Bounded(health.AVCID, 64), decide.Bounded(health.PRIID, 64)
	state.WholesaleServiceID = decide.Bounded(health.WholesaleServiceID, 64)
	recordRating(in, health)
	if plan := decide.PlanInHealth(health); plan != "" && !readsPlanFromService(in) {
		recordPlan(in, state, plan, reading.RequestedAt)
	}
}

// recordRating records the carrier's rating of the line. Its time is when this rating was first
// seen, so that an unchanged rating needs no write.
func recordRating(in *Input, health carrier.HealthResult) {
	view := v1alpha1.HealthStatus{
		Summary: decide.Bounded(string(health.CurrentCondition.Status), 64),
		HealthIndicator: v1alpha1.HealthIndicator{
			Connectivity: decide.Bounded(string(health.Indicator.Connectivity), 64),
			Performance:  decide.Bounded(string(health.Indicator.Performance), 64),
			Stability:    decide.Bounded(string(health.Indicator.Stability), 64),
		},
		Alert:      decide.Bounded(health.CurrentCondition.AlertMessage, 1024),
		NextAction: decide.Bounded(health.NextAction.Description, 1024),
		HRIID:      decide.Bounded(health.HRIID, 64),
	}
	if shown := in.Service.Status.Health; shown != nil {
		newest := view.HRIID
		view.Since, view.HRIID = shown.Since, shown.HRIID // each reading has its own record id, which is not a change
		if view == *shown {
			return
		}
		view.HRIID = newest
	}
	view.Since = metav1.NewTime(in.Now)
	in.Service.Status.Health = &view
}

// recordPlan records the plan that a health request returned. After a success of ours, the baseline
// is the plan that was sent, and the first reading requested after that success shows the name that
// health uses for this plan. From then on, any other name is drift. The declared name is never
// recorded as health's name for another plan. A plan counts as known from the time at which its
// reading was requested.
func recordPlan(in *Input, state *v1alpha1.CarrierState, plan string, askedAt time.Time) {
	acceptDrift(in, state)
	known := state.Plan
	switch {
	case known == nil:
		state.Plan = planFromHealth(plan, askedAt)
	case askedAt.Before(in.Past(known.Since).Add(decide.StatusPrecision)):
	case foundAsDeclared(in, known, plan, askedAt) != nil:
		state.Plan = foundAsDeclared(in, known, plan, askedAt)
	case planDrifted(state.Plan) && plan == known.AsHealth:
		state.Plan = planFromHealth(plan, askedAt)
	case known.AsHealth == "":
		known.AsHealth = plan
	case plan != known.AsHealth:
		if known.Value != plan || known.Source != v1alpha1.SourceHealth {
			state.Plan = knownValue(plan, v1alpha1.SourceHealth, askedAt)
		}
		state.Plan.AsHealth = known.AsHealth
		acceptDrift(in, state)
	}
}

// acceptDrift makes a drifted plan the baseline once the spec names it: the service then counts as
// converged to it.
func acceptDrift(in *Input, state *v1alpha1.CarrierState) {
	declared := in.Service.Spec.Plan
	if planDrifted(state.Plan) && declared != nil && decide.SameName(declared.Name, state.Plan.Value) {
		state.Plan.AsHealth = state.Plan.Value
	}
}

// planDrifted reports drift: health shows another plan than after our last success. The drifted
// plan is recorded as health shows it now, with the name that health showed before.
func planDrifted(plan *v1alpha1.KnownValue) bool {
	return plan != nil && plan.Source == v1alpha1.SourceHealth &&
		plan.AsHealth != "" && plan.Value != plan.AsHealth
}

func planFromHealth(plan string, askedAt time.Time) *v1alpha1.KnownValue {
	found := knownValue(plan, v1alpha1.SourceHealth, askedAt)
	found.AsHealth = plan
	return found
}

// foundAsDeclared returns the declared plan if the carrier has changed to it without our request;
// otherwise nil. Nothing needs to be sent then (R7).
func foundAsDeclared(in *Input, known *v1alpha1.KnownValue, plan string, askedAt time.Time) *v1alpha1.KnownValue {
	declared := in.Service.Spec.Plan
	if declared == nil || decide.SameName(declared.Name, known.Value) {
		return nil
	}
	found := planFromHealth(plan, askedAt)
	if decide.SameName(declared.Name, plan) {
		return found
	}
	if base := in.Ledger.Baseline(); base != nil && base.AsHealth == plan && decide.SameName(declared.Name, base.Value) {
		found.Value, found.Source = base.Value, base.Source
		return found
	}
	return nil
}

// forgetAcceptedDrift drops the value that the service had before it drifted, once the spec no
// longer declares that value. From then on, the drifted value is treated like any other value.
func forgetAcceptedDrift(in *Input) {
	state := in.Service.Status.Carrier
	if state == nil {
		return
	}
	for _, value := range describedValues(in, state) {
		known := *value.known
		if known != nil && known.DriftedFrom != "" && !decide.SameName(known.DriftedFrom, value.declared) {
			known.DriftedFrom = ""
		}
	}
}

// forgetReplacedTerm drops the term of the previous plan once the spec declares the plan to which
// the carrier has changed. If the service later returns to the previous plan, its term may differ.
func forgetReplacedTerm(in *Input) {
	state, declared := in.Service.Status.Carrier, in.Service.Spec.Plan
	if state == nil || state.Plan == nil || declared == nil || !decide.SameName(declared.Name, state.Plan.Value) {
		return
	}
	state.Term = TermOfPlan(*state)
}

// TermOfPlan returns the term of the plan that a service has; nil if it is not known. If the carrier
// has changed the plan, nobody knows its term, because the carrier's API cannot report it.
func TermOfPlan(state v1alpha1.CarrierState) *v1alpha1.KnownValue {
	if state.Plan == nil || state.Term == nil || decide.SameName(state.Term.Plan, state.Plan.Value) {
		return state.Term
	}
	return nil
}

func recordDescription(in *Input, reading *decide.Reading) {
	state, shown := carrierState(in.Service), reading.Service
	for at, text := range map[*string]string{
		&state.TechnologyType: shown.TechnologyType, &state.LocationID: shown.LocationID, &state.AVCID: shown.AVCID,
	} {
		if *at == "" { // health may have shown it already
			*at = text
		}
	}
	for _, value := range describedValues(in, state) {
		if value.shown != "" {
			*value.known = knownAfterReading(in, &value, reading.RequestedAt)
		}
	}
}

// theDescription is what messages call the reading of a service with the extension ServiceRead.
const theDescription = "the carrier's description of the service"

// The fields of the spec that a description shows, other than those of a plan change.
const (
	fieldAggregation = "aggregationMethod"
	fieldDSLProfile  = "dslStabilityProfile"
)

// describedValue is a value that the carrier's description of a service contains (extension
// ServiceRead).
type describedValue struct {
	field     string // the field of the spec
	name      string // what messages call the value
	condition string
	trusted   v1alpha1.TrustedAspect
	operation v1alpha1.Operation // the operation that changes the value
	declared  string             // "" if it is not managed
	shown     string             // in the newest description; "" if it does not contain the value
	known     **v1alpha1.KnownValue
}

// describedValues returns each value that a description may contain, together with the value that a
// state holds for it.
func describedValues(in *Input, state *v1alpha1.CarrierState) []describedValue {
	spec, shown, plan := in.Service.Spec, in.Memory.Readings.Service.Service, ""
	if spec.Plan != nil {
		plan = spec.Plan.Name
	}
	return []describedValue{
		{
			decide.FieldPlan, nameOfPlan, v1alpha1.ConditionPlanSynced, v1alpha1.TrustPlan,
			v1alpha1.OperationPlanChange, plan, shown.Plan, &state.Plan,
		},
		{
			decide.FieldSLA, decide.NameOfSLA, v1alpha1.ConditionRestorationSLASynced, v1alpha1.TrustRestorationSLA,
			v1alpha1.OperationPlanChange, spec.RestorationSLA, shown.RestorationSLA, &state.RestorationSLA,
		},
		{
			fieldAggregation, nameOfAggregation, v1alpha1.ConditionAggregationSynced, v1alpha1.TrustAggregationMethod,
			v1alpha1.OperationAggregationConversion,
			spec.AggregationMethod, shown.AggregationMethod, &state.AggregationMethod,
		},
		{
			fieldDSLProfile, nameOfDSLProfile, v1alpha1.ConditionDSLProfileSynced, v1alpha1.TrustDSLStabilityProfile,
			v1alpha1.OperationDSLStabilityProfileChange,
			spec.DSLStabilityProfile, shown.DSLStabilityProfile, &state.DSLStabilityProfile,
		},
	}
}

// knownAfterReading returns a value as it is known after a reading. The former value is kept if the
// reading confirms it or is not newer. But a newer reading replaces a value that was only trusted,
// even if it confirms that value, and any reading replaces a value that health named. An order is
// older than any reading of its service, whenever its value was taken over. If the service had the
// declared value before, the new value has drifted from it.
func knownAfterReading(in *Input, value *describedValue, askedAt time.Time) *v1alpha1.KnownValue {
	known, found := *value.known, knownValue(value.shown, v1alpha1.SourceService, askedAt)
	if known == nil {
		return found
	}
	byHealth := known.Source == v1alpha1.SourceHealth
	confirmed := decide.SameName(known.Value, value.shown) && !byHealth && known.Source != v1alpha1.SourceDeclared
	isOlder := byHealth || known.Source == v1alpha1.SourceOrder
	if confirmed || !isOlder && askedAt.Before(in.Past(known.Since).Add(decide.StatusPrecision)) {
		return known
	}
	if from := agreedValue(value); from != "" && !decide.SameName(value.shown, value.declared) {
		found.DriftedFrom = from
	}
	return found
}

func agreedValue(value *describedValue) string {
	known := *value.known
	trusted := known.Source == v1alpha1.SourceDeclared || known.Source == v1alpha1.SourceHealth
	switch {
	case value.declared == "", trusted:
		return ""
	case known.DriftedFrom != "" && decide.SameName(known.DriftedFrom, value.declared):
		return known.DriftedFrom
	case decide.SameName(known.Value, value.declared):
		return known.Value
	}
	return ""
}

// readsService reports whether the values of the service are read from the carrier's description of
// it. If the carrier refuses this for one service, or fails to describe it several times in a row,
// the values are read as they are without the extension.
func readsService(in *Input) bool {
	reading := &in.Memory.Readings.Service
	return decide.MayReadService(&in.Account) && !reading.Refused() && reading.Failures < decide.FailuresShown
}

func isDescribed(in *Input) bool { return in.Memory.Readings.Service.Answered() }

func readsPlanFromService(in *Input) bool {
	return readsService(in) && (!isDescribed(in) || in.Memory.Readings.Service.Service.Plan != "")
}

// recordDisruptions counts the disruptions of the service. It lists the active ones, the newest
// first, and then the scheduled ones, the next first.
func recordDisruptions(in *Input, found []carrier.Disruption) {
	seen := countDisruptions(found)
	if shown := in.Service.Status.Disruptions; shown != nil {
		seen.Since = shown.Since
		if equality.Semantic.DeepEqual(&seen, shown) {
			return
		}
	}
	seen.Since = metav1.NewTime(in.Now)
	in.Service.Status.Disruptions = &seen
}

func countDisruptions(found []carrier.Disruption) v1alpha1.DisruptionStatus {
	earlier := func(a, b disruption) int { return a.shown.StartAt.Compare(b.shown.StartAt.Time) }
	later := func(a, b disruption) int { return earlier(b, a) }
	active := sorted(found, carrier.DisruptionActive, later)
	scheduled := sorted(found, carrier.DisruptionScheduled, earlier)
	seen := v1alpha1.DisruptionStatus{
		Active: int32(len(active)), Scheduled: int32(len(scheduled)), //nolint:gosec // at most a thousand are read
		Current: first(active), Next: first(scheduled),
	}
	seen.Items, seen.Truncated = disruptionItems(append(active, scheduled...))
	return seen
}

// disruption is a disruption of the carrier, and what a status shows of it.
type disruption struct {
	found *carrier.Disruption
	shown v1alpha1.Disruption
}

func sorted(
	found []carrier.Disruption, status carrier.DisruptionStatus, compare func(a, b disruption) int,
) []disruption {
	var kept []disruption
	for i := range found {
		if found[i].Status == status {
			kept = append(kept, disruption{&found[i], disruptionOf(&found[i])})
		}
	}
	slices.SortStableFunc(kept, compare)
	return kept
}

func first(list []disruption) *v1alpha1.Disruption {
	if len(list) == 0 {
		return nil
	}
	return &list[0].shown
}

// The limits for the list of disruptions.
const maxDisruptionItems, maxDisruptionBytes = 20, 8 << 10

func disruptionItems(all []disruption) ([]v1alpha1.DisruptionItem, bool) {
	items := make([]v1alpha1.DisruptionItem, 0, len(all))
	for i := range all {
		found, shown := all[i].found, &all[i].shown
		items = append(items, v1alpha1.DisruptionItem{
			DisruptionFacts: shown.DisruptionFacts, Status: decide.Bounded(string(found.Status), 64),
			Type: decide.Bounded(found.Type, 64), Category: decide.Bounded(found.Category, 64),
		})
	}
	left := maxDisruptionBytes
	return decide.Fitting(items, maxDisruptionItems, &left)
}

func disruptionOf(found *carrier.Disruption) v1alpha1.Disruption {
	start, _ := found.MaintenanceStartAt.Time()
	end, _ := found.MaintenanceEndAt.Time()
	return v1alpha1.Disruption{
		DisruptionFacts: v1alpha1.DisruptionFacts{
			ID: decide.Bounded(found.WholesaleDisruptionID, 64), Severity: decide.Bounded(found.Severity, 64),
			StartAt: v1alpha1.WholeSeconds(start), EndAt: v1alpha1.WholeSeconds(end),
		},
		Description: decide.Bounded(found.Description, 1024),
	}
}
