// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// The names of the scenarios with the configuration that an installation has by default.
const (
	installedSuffix = ", installed"
	correctedSuffix = ", installed, corrected"

	installedPlan       = "PlanChange" + installedSuffix
	correctedPlan       = "PlanChange" + correctedSuffix
	trustedAggregation  = "UnknownAggregationMethod" + installedSuffix
	correctedReschedule = "CancellationReschedule" + correctedSuffix
	installedOrder      = "OrderCreate" + installedSuffix
)

// installedScenarios returns scenarios with the defaults of the CRDs and with the marker: each change
// and each order has to be approved, a person has to decide about unknown values, and the service is
// read at its intervals, at which a change that somebody else has made at the carrier shows.
func installedScenarios() []*Scenario {
	drifts := func(policy v1alpha1.DriftPolicy, apply serviceEdit) serviceEdit {
		return func(s *v1alpha1.BroadbandService) {
			s.Spec.DriftPolicy, s.Spec.Observe = policy, v1alpha1.Observe{HealthInterval: "24h", DisruptionsInterval: "0"}
			apply(s)
		}
	}
	change := func(*v1alpha1.BroadbandService) {}
	convert := func(s *v1alpha1.BroadbandService) { s.Spec.Plan, s.Spec.AggregationMethod = nil, "ETHERNET" }
	move := func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan = nil
		s.Spec.Cancellation = &v1alpha1.Cancellation{Mode: v1alpha1.CancellationOnDate, Date: newDate}
	}
	const report, correct = v1alpha1.DriftReport, v1alpha1.DriftCorrect
	trusted := service(
		trustedAggregation, v1alpha1.OperationAggregationConversion, unchanged, drifts(report, convert))
	trusted.Trusts = true
	order := *taskScenarios()[0]
	order.Name = installedOrder
	spelled := service(correctedPlan, v1alpha1.OperationPlanChange, unchanged, drifts(correct, change))
	spelled.HealthPrefix = "Access "
	scenarios := []*Scenario{
		service(installedPlan, v1alpha1.OperationPlanChange, unchanged, drifts(report, change)), spelled,
		service(correctedReschedule, v1alpha1.OperationCancellationReschedule, withCancellation, drifts(correct, move)),
		trusted, &order,
	}
	for _, scenario := range scenarios {
		scenario.Installed, scenario.NeedsApproval = true, true
	}
	return scenarios
}

// restrict makes the carrier of an installed scenario one that takes one health request of a
// service at a time, and shows a new cancellation date only once the move is complete.
func (s *Scenario) restrict(options *simulator.Options) {
	options.Seed.OneHealthRequest, options.Seed.SlowCancellations = s.Installed, s.Installed
	for i := range options.Seed.Plans {
		options.Seed.Plans[i].HealthName = s.HealthPrefix + options.Seed.Plans[i].Name
	}
}

// readsAtInterval reports whether the service of a scenario is read again at its intervals.
func (s *Scenario) readsAtInterval() bool { return s.Installed && s.Kind == kindService }

// asInstalled edits the account of an installed scenario: its fields have the defaults of the CRD.
func asInstalled(account *v1alpha1.CarrierAccount) {
	account.Spec.APIVersion, account.Spec.IdentifierWord = 8, "wholesale"
	account.Spec.FamilyVersions = v1alpha1.FamilyVersionsLeast
	account.Spec.Approval, account.Spec.UnknownValues = v1alpha1.ApprovalOnCost, v1alpha1.UnknownAsk
	account.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 5, Burst: 10}
	account.Spec.Polling = v1alpha1.Polling{Min: "2s", Max: "5m"}
}

// install creates the marker, as the first process of an installation does before anything is applied.
func (r *run) install(ctx context.Context) {
	system := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem}}
	must(r.store.Client().Create(ctx, system))
	cluster := string(system.UID)
	must(r.store.Client().Create(ctx, &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.MarkerName, Finalizers: []string{v1alpha1.FinalizerMemory}},
		Spec: v1alpha1.RequestLedgerSpec{
			Schema: v1alpha1.LedgerSchema, Revision: 1, Cluster: cluster,
			Marker: &v1alpha1.LedgerMarker{Clusters: []string{cluster}},
		},
	}))
	r.marker = v1alpha1.MarkerName
}

// allRead is how long it takes until everything has been read at its interval.
const allRead = 25 * time.Hour

// settlesAfter returns how long nothing has to happen before a settled object ends a run.
func (r *run) settlesAfter(ctx context.Context) time.Duration {
	switch {
	case r.awaitsOrder(ctx):
		return followedFor
	case r.plan.Scenario.readsAtInterval() && !r.isWaiting():
		return allRead
	}
	return idleTime
}

// readOnce runs the passes that read everything at its interval, if the run has ended before that
// because the object waits for a person.
func (r *run) readOnce(ctx context.Context) {
	if !r.isWaiting() {
		return
	}
	done := now()
	for manager := r.next(none); manager != nil && manager.next().Sub(done) < allRead; manager = r.next(none) {
		if r.runPass(ctx, manager) {
			done = now()
		}
	}
}

// progress counts what moves a run: its changes, except for readings at an interval, and the faults
// and actions, after which everything has to be read once more.
func (r *run) progress() int {
	if !r.plan.Scenario.readsAtInterval() {
		return r.changes()
	}
	return r.changes() - healthReadings(r.effects) + r.happened
}

// healthReadings counts the health requests among effects.
func healthReadings(effects []Effect) (readings int) {
	for _, effect := range effects {
		if effect.isHealthReading() {
			readings++
		}
	}
	return readings
}

func (e Effect) isHealthReading() bool { return e.Op == Post && e.What == readsHealth }

// isReading reports whether an effect belongs to a reading at an interval, which may need another
// token.
func (e Effect) isReading() bool {
	return e.isHealthReading() || e.Op == Poll || e.Op == Key || e.Op == Token
}

// isWaiting reports whether the object waits for a person, and until then is only read again.
func (r *run) isWaiting() bool {
	if !r.plan.Scenario.readsAtInterval() {
		return false
	}
	subject := r.subject()
	if subject == nil {
		return false
	}
	reason, _, _ := stateOf(subject)
	return slices.Contains(waitingReasons(), reason)
}

// answer confirms that the service has the unknown values, if the person of the scenario always
// does so or if it is true. It reports whether there was a question.
func (r *run) answer(ctx context.Context) bool {
	subject, scenario := r.stored(ctx), r.plan.Scenario
	if !scenario.readsAtInterval() || subject == nil || pendingOf(subject) == nil {
		return false
	}
	pending := pendingOf(subject)
	unknown := slices.ContainsFunc(pending.Changes, func(change v1alpha1.Change) bool { return change.Unknown })
	given := subject.GetAnnotations()[v1alpha1.AnnotationTrust] == pending.Hash
	has := scenario.Trusts || isAsDeclared(subject, r.line())
	if reason, _, _ := stateOf(subject); reason != v1alpha1.ReasonAwaitingApproval || given || !unknown || !has {
		return false
	}
	r.edit(ctx, func(subject Subject) { annotate(subject, v1alpha1.AnnotationTrust, pending.Hash) })
	r.notifyManagers()
	return true
}

// driftElsewhere changes the service at the carrier without the operator: its plan, or the date of its
// cancellation.
func (r *run) driftElsewhere(ctx context.Context) {
	service, is := r.stored(ctx).(*v1alpha1.BroadbandService)
	switch {
	case is && service.Spec.Plan != nil:
		must(r.world.Carrier.SetPlan(lineID, world.PlanCheap))
	case is && service.Spec.Cancellation != nil:
		must(r.world.Carrier.SetCancellation(lineID, &simulator.Cancellation{Status: "REQUESTED", RequestDate: oldDate}))
	default:
		delete(r.firstAt, DriftedElsewhere) // nothing is declared that could drift
		return
	}
	if service.Spec.DriftPolicy == v1alpha1.DriftCorrect {
		r.allowCorrection()
	}
	r.interfered = true
}

// allowCorrection notes that what has been bought and carried out by now may be bought again, because
// the spec says that drift is corrected. Under any other policy drift is only reported, and there is
// nothing to approve.
func (r *run) allowCorrection() {
	for _, sent := range r.sent {
		if isChargeable(sent.class) && sent.accepted && !now().Before(sent.at.Add(shortestWork)) {
			r.repeatable[sent.attempt] = true
		}
	}
}

// isDryRun reports whether an update is a dry run.
func isDryRun(options []client.UpdateOption) bool {
	wanted := client.UpdateOptions{}
	wanted.ApplyOptions(options)
	return len(wanted.DryRun) > 0
}

// expectReadRarely checks that a settled service is read no more often than at its intervals. In a
// day, a manager requests health at most twice, with two polls each, and reads the cancellation four
// times. Each of these calls may need another token.
func (r *run) expectReadRarely() {
	if !r.plan.Scenario.readsAtInterval() {
		return
	}
	counts := make(map[Op]int)
	for _, effect := range r.effects[r.lastEffect:] {
		if effect.isReading() {
			counts[effect.Op]++
		}
	}
	for _, limit := range []struct {
		op   Op
		most int // by each manager
		what string
	}{{Post, 2, "POSTs"}, {Poll, 8, "GETs"}, {Key, 8, "reads of the key"}, {Token, 8, "logins"}} {
		if count := counts[limit.op]; count > limit.most*len(r.managers) {
			r.report(16, fmt.Sprintf("the object was settled, and to read it took %d %s in a day", count, limit.what))
		}
	}
}
