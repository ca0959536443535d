// SPDX-License-Identifier: Apache-2.0

package services

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// JudgeLedger decides whether an object may act for the service of a ledger: only its holder may.
// Without a ledger there is no conflict, because the first intent decides (R2).
func JudgeLedger(in decide.LedgerInput) decide.LedgerVerdict {
	switch {
	case in.Former != nil:
		return decide.LedgerVerdict{Verdict: decide.LoginConflict(&in)}
	case in.IsIncomplete() && !decide.HasOtherHolder(&in) && !decide.IsNewerSchema(&in):
		return decide.LedgerVerdict{Lost: decide.ReceiptLost(&in, v1alpha1.OperationPlanChange, "service")}
	case in.Ledger == nil:
		return decide.LedgerVerdict{}
	}
	if why := decide.WhyNotUsable(&in); why != nil {
		return decide.LedgerVerdict{Verdict: why}
	}
	return decide.LedgerVerdict{TakeOver: !decide.IsHolder(&in)}
}

// Project updates a status from the ledger, which alone records what was sent and the values
// that cannot be read. The ledger is nil if the object holds none.
func Project(service *v1alpha1.BroadbandService, ledger *v1alpha1.RequestLedger, clock decide.Clock) {
	forgetOutdated(service, ledger)
	service.ShowLedger(ledger)
	showHistory(service, ledger)
	showUsedAnnotations(service)
	var spec v1alpha1.RequestLedgerSpec
	if ledger != nil {
		spec = *ledger.Spec.DeepCopy()
	}
	if service.Status.Carrier == nil && spec.Known == (v1alpha1.KnownToLedger{}) && spec.Baseline == nil {
		return
	}
	state := carrierState(service)
	known := spec.Known
	state.Term, state.RestorationSLA = known.Term, valueOnRecord(state.RestorationSLA, known.RestorationSLA, clock)
	state.AggregationMethod = valueOnRecord(state.AggregationMethod, known.AggregationMethod, clock)
	state.DSLStabilityProfile = valueOnRecord(state.DSLStabilityProfile, known.DSLStabilityProfile, clock)
	state.Plan = planOnRecord(state.Plan, spec.Baseline, clock)
}

// forgetOutdated drops values that were read before the end of a request, if the status does not
// show that end: a process ended between the two writes, or the status is an old one. The values
// are read again. For the plan, the baseline serves the same purpose.
func forgetOutdated(service *v1alpha1.BroadbandService, ledger *v1alpha1.RequestLedger) {
	state := service.Status.Carrier
	if state == nil || ledger == nil {
		return
	}
	for contract := range carrier.Contracts() {
		for _, done := range notShownIn(service, ledger, v1alpha1.Operation(contract.Operation)) {
			forget(state, done)
		}
	}
}

// notShownIn returns the attempts at an operation that reached the carrier, or may have, and that a
// status does not show in the same state as the ledger.
func notShownIn(
	service *v1alpha1.BroadbandService, ledger *v1alpha1.RequestLedger, operation v1alpha1.Operation,
) []*v1alpha1.Request {
	shown, newest := service.RequestOf(operation), ledger.RequestOf(operation)
	if decide.SameState(shown, newest) {
		return nil
	}
	return slices.DeleteFunc([]*v1alpha1.Request{newest, ledger.ReachedLast(operation)}, func(of *v1alpha1.Request) bool {
		return of == nil || !of.Phase.Reached() || decide.SameState(shown, of)
	})
}

// showUsedAnnotations echoes the approval and the retry that were used up last.
func showUsedAnnotations(service *v1alpha1.BroadbandService) {
	var approved, retried v1alpha1.Request
	for _, request := range service.Status.Requests {
		if request.ApprovedHash != "" && !request.SubmittedAt.Before(&approved.SubmittedAt) {
			approved = request
		}
		if request.Retry != "" && !request.SubmittedAt.Before(&retried.SubmittedAt) {
			retried = request
		}
	}
	handled := &service.Status.Handled
	handled.Approve = cmp.Or(approved.ApprovedHash, handled.Approve)
	handled.Retry = cmp.Or(retried.Retry, handled.Retry)
}

// planOnRecord returns the plan from the status if it was read after the baseline was set, and
// otherwise the baseline from the ledger.
func planOnRecord(shown, baseline *v1alpha1.KnownValue, clock decide.Clock) *v1alpha1.KnownValue {
	read := shown != nil && shown.Source == v1alpha1.SourceHealth && shown.AsHealth != ""
	switch {
	case isFromService(shown):
		return valueOnRecord(shown, baseline, clock)
	case !read, baseline != nil && clock.Before(shown.Since, baseline.Since):
		return baseline
	}
	return shown
}

// valueOnRecord returns the value from the status if the carrier's description of the service showed
// it after the ledger's value was known, and otherwise the ledger's.
func valueOnRecord(shown, recorded *v1alpha1.KnownValue, clock decide.Clock) *v1alpha1.KnownValue {
	if !isFromService(shown) || recorded != nil && clock.Before(shown.Since, recorded.Since) {
		return recorded
	}
	return shown
}

// toRemember returns what the ledger records of a value. The ledger records a value from the
// description of the service only to replace its own older value: the value can be read again. If
// the status were lost, the older value would justify a request, which only a reading may do (R7).
func toRemember(recorded, known *v1alpha1.KnownValue) *v1alpha1.KnownValue {
	switch {
	case !isFromService(known):
		return known
	case recorded == nil, recorded.Value == known.Value && recorded.DriftedFrom == known.DriftedFrom:
		return recorded
	}
	return known
}

// Remember records a service's values that cannot be read, and the plan last applied to it: "known"
// and "baseline" of its ledger. It is called for an attempt that was begun or has ended, or without
// one.
func Remember(ledger *v1alpha1.RequestLedgerSpec, service *v1alpha1.BroadbandService, by *v1alpha1.Request) {
	known := &ledger.Known
	rememberAgreement(known, service, by)
	state := service.Status.Carrier.DeepCopy()
	if state == nil {
		return
	}
	known.Term, known.RestorationSLA = state.Term, toRemember(known.RestorationSLA, state.RestorationSLA)
	known.AggregationMethod = toRemember(known.AggregationMethod, state.AggregationMethod)
	known.DSLStabilityProfile = toRemember(known.DSLStabilityProfile, state.DSLStabilityProfile)
	baseline := ledger.Baseline
	switch plan := state.Plan; {
	case isFromService(plan):
		ledger.Baseline = toRemember(baseline, plan)
	case plan == nil, plan.Source != v1alpha1.SourceHealth, plan.AsHealth == "":
		ledger.Baseline = plan
	case baseline != nil && baseline.AsHealth == "" && baseline.Value == plan.Value:
		baseline.AsHealth = plan.AsHealth
	}
}

// rememberAgreement records which declared cancellation the carrier's state has matched, until none
// is declared. At the end of an attempt, a state without a match changes nothing, because it may
// just have been read for the first time.
func rememberAgreement(known *v1alpha1.KnownToLedger, service *v1alpha1.BroadbandService, by *v1alpha1.Request) {
	state, ended := service.LastKnown().Cancellation, by != nil && by.Phase.Ended()
	switch {
	case service.Spec.Cancellation == nil:
		known.AgreedCancellation = ""
	case state != nil && (state.Agreed != "" || !ended):
		known.AgreedCancellation = state.Agreed
	}
}

// DeletionWarning describes what may continue at the carrier although the object was deleted; "" if
// nothing does.
func DeletionWarning(service *v1alpha1.BroadbandService, ledger *v1alpha1.RequestLedger) string {
	if ledger.Spec.Holder.UID != string(service.UID) || len(ledger.Spec.Open) == 0 {
		return ""
	}
	return fmt.Sprintf("deleted while %s: the request may continue at the carrier, and a new BroadbandService for this "+
		"service takes it over", decide.AttemptsText(ledger.Spec.Open))
}

// The limits of the short texts in a status (CustomResourceDefinition).
const (
	maxChangeColumn  = 128
	maxChangeHistory = 512
	historyLimit     = 10
)

// showHistory shows the newest requests that reached the carrier, or may have.
func showHistory(service *v1alpha1.BroadbandService, ledger *v1alpha1.RequestLedger) {
	service.Status.History = nil
	if ledger == nil {
		return
	}
	for _, attempt := range ledger.Spec.Ended {
		if attempt.Outcome.Reached() && len(service.Status.History) < historyLimit {
			service.Status.History = append(service.Status.History, v1alpha1.FinishedRequest{
				Operation: attempt.Operation, Change: decide.Bounded(decide.DescribeChanges(attempt.Changes), maxChangeHistory),
				ApprovedBy: attempt.ApprovedBy, RetriedBy: attempt.RetriedBy, ResolvedBy: decide.ResolverOf(attempt.ResolvedBy),
				Outcome: attempt.Outcome, Code: attempt.Code,
				SubmittedAt: attempt.SubmittedAt, At: attempt.FinishedAt,
			})
		}
	}
}

// ChangeColumn describes the change of a service in short: the one in progress, otherwise the
// pending one, otherwise a future cancellation; "" if there is none.
func ChangeColumn(service *v1alpha1.BroadbandService) string {
	status := service.Status
	if status.InFlight != nil {
		if open := service.RequestOf(status.InFlight.Operation); open != nil {
			return changeInShort(open.Changes(), string(open.Operation))
		}
	}
	if status.Pending != nil {
		return changeInShort(status.Pending.Changes, "")
	}
	if state := status.Carrier; state != nil && state.Cancellation != nil && state.Cancellation.PendingDate != "" {
		return "cancelled on " + state.Cancellation.PendingDate
	}
	return ""
}

// changeInShort describes the first change, the term sent with it (a commitment), and the number
// of other changes. The plan that is replaced has its own column, which leaves room for the term.
func changeInShort(changes []v1alpha1.Change, none string) string {
	if len(changes) == 0 {
		return none
	}
	first, left := changes[0], len(changes)-1
	words := fmt.Sprintf("%s → %s", cmp.Or(first.From, "unknown"), first.To)
	term := slices.IndexFunc(changes, func(change v1alpha1.Change) bool { return change.Field == decide.FieldTerm })
	switch {
	case term == 0:
		words = "term " + words
	case term > 0 && first.Field == decide.FieldPlan:
		months := changes[term].To + " months"
		if months == "1 months" {
			months = "1 month"
		}
		words, left = fmt.Sprintf("→ %s for %s", first.To, months), left-1
	case term > 0:
		words, left = words+", term "+changes[term].To, left-1
	}
	if left > 0 {
		words = fmt.Sprintf("%s, +%d", words, left)
	}
	return decide.Bounded(words, maxChangeColumn)
}

func forget(state *v1alpha1.CarrierState, done *v1alpha1.Request) {
	lost := decide.StandsForLostLedger(done)
	if lost {
		state.Plan = nil
	}
	if lost || decide.TouchesCancellation(done.Operation) && done.Phase.Ended() {
		state.Cancellation = nil
	}
}
