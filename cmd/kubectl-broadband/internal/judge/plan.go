// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
	"github.com/broadband-operator/broadband-operator/pkg/decide/services"
)

// Known has the facts, apart from the service, from which its changes are planned.
type Known struct {
	Account *v1alpha1.CarrierAccount
	Ledger  *v1alpha1.RequestLedger    // nil if nothing has been sent, or if it may not be read
	Order   *v1alpha1.ServiceOrder     // the order that the service comes from; nil if none
	Offers  *v1alpha1.PlanOptionsQuery // what the carrier offers now; nil: prices are as the status shows them
	Now     time.Time
}

// Plan is what would change for some objects, and what it would cost.
type Plan struct {
	Objects  []ObjectPlan `json:"objects"`
	Sums     Sums         `json:"total"`
	NotKnown int          `json:"notKnown"` // objects whose state at the carrier has not been read yet
}

// ObjectPlan is what would change for one object.
type ObjectPlan struct {
	Reference

	Exists   bool            `json:"exists"`             // false: the manifest is not applied yet
	NotKnown bool            `json:"notKnown,omitempty"` // whether the carrier's plan is still unread
	Hash     string          `json:"hash,omitempty"`
	Changes  []PlannedChange `json:"changes,omitempty"`
	// Requests are the requests that would be sent. They are known only if the plan was computed, not
	// if it was taken from a status.
	Requests []PlannedRequest `json:"requests,omitempty"`
	// PricesFrom says where the prices are from, if there are any, and PricedAt when the carrier quoted
	// them. The operator does not record when it read the prices of a status: PricedAt is then the
	// earliest time.
	PricesFrom PriceSource `json:"pricesFrom,omitempty"`
	PricedAt   metav1.Time `json:"pricedAt,omitzero"`
	Notes      []string    `json:"notes,omitempty"` // what prevents the changes, or is not known
}

// PriceSource is where the prices of a plan are from.
type PriceSource string

// The sources of prices.
const (
	PricesFromCarrier PriceSource = "carrier" // a query of this run
	PricesFromStatus  PriceSource = "status"  // the operator's last read
)

// PlannedRequest is one request that would be sent; its body has no contact data.
type PlannedRequest struct {
	Operation v1alpha1.Operation `json:"operation"`
	Body      json.RawMessage    `json:"body"`
}

// PlannedChange is one value that would change.
type PlannedChange struct {
	v1alpha1.Change

	KnownBy    v1alpha1.ValueSource `json:"knownBy,omitempty"`
	Since      metav1.Time          `json:"since,omitzero"`
	InProgress bool                 `json:"inProgress,omitempty"` // it has already been sent
}

// Add adds an object. An object without changes and notes appears only in the JSON and YAML output.
func (p *Plan) Add(object ObjectPlan) {
	p.Objects = append(p.Objects, object)
	p.Sums.Add(object.Sendable())
	if object.NotKnown {
		p.NotKnown++
	}
}

// Sort orders the objects.
func (p *Plan) Sort() {
	slices.SortFunc(p.Objects, func(a, b ObjectPlan) int { return a.Before(b.Reference) })
}

// Changed reports whether anything would be sent.
func (p *Plan) Changed() bool { return p.Sums.Requests > 0 }

// Sendable returns the changes that have not been sent yet.
func (o *ObjectPlan) Sendable() []v1alpha1.Change {
	var changes []v1alpha1.Change
	for _, change := range o.Changes {
		if !change.InProgress {
			changes = append(changes, change.Change)
		}
	}
	return changes
}

// AsksForPrice reports whether a change is one that the carrier quotes a price for: a plan change.
func (o *ObjectPlan) AsksForPrice() bool {
	return slices.ContainsFunc(o.Changes, func(change PlannedChange) bool {
		return !change.InProgress && change.Operation == v1alpha1.OperationPlanChange
	})
}

// All returns all changes.
func (o *ObjectPlan) All() []v1alpha1.Change {
	changes := make([]v1alpha1.Change, 0, len(o.Changes))
	for _, change := range o.Changes {
		changes = append(changes, change.Change)
	}
	return changes
}

// PlanOf returns the plan of changes that the status of an object shows.
func PlanOf(object fleet.Object) ObjectPlan {
	plan := ObjectPlan{Reference: ReferenceTo(object), Exists: true}
	if !Observed(object) {
		plan.Notes = append(plan.Notes, "the operator has not seen this version of the object yet")
		return plan
	}
	if pending := PendingOf(object); pending != nil {
		plan.take(object, pending.Hash, pending.Changes)
		plan.datePrices(object, nil)
	}
	if ready := Ready(object); ready.Status != metav1.ConditionTrue && ready.Reason != v1alpha1.ReasonProgressing {
		plan.Notes = append(plan.Notes, noteOf(ready.Reason, ready.Message))
	}
	return plan
}

func (o *ObjectPlan) take(object fleet.Object, hash string, changes []v1alpha1.Change) {
	o.Hash = hash
	requests := RequestsOf(object)
	for _, change := range changes {
		planned := PlannedChange{Change: change}
		planned.InProgress = slices.ContainsFunc(requests, func(request v1alpha1.Request) bool {
			return request.Operation == change.Operation && !request.Phase.Ended()
		})
		if service, is := object.(*v1alpha1.BroadbandService); is && change.From != "" {
			planned.KnownBy, planned.Since = knownBy(service, change.Field)
		}
		o.Changes = append(o.Changes, planned)
	}
}

// datePrices records the time of the prices, if there are any. For prices in a status, it is the
// time at which the approval became required or, without one, at which Ready last changed.
func (o *ObjectPlan) datePrices(object fleet.Object, offers *v1alpha1.PlanOptionsQuery) {
	required := Condition(object, v1alpha1.ConditionApprovalRequired)
	switch {
	case !slices.ContainsFunc(o.Changes, isPriced):
	case offers != nil && offers.Status.Request != nil:
		o.PricesFrom, o.PricedAt = PricesFromCarrier, offers.Status.Request.FinishedAt
	case required != nil && required.Status == metav1.ConditionTrue:
		o.PricesFrom, o.PricedAt = PricesFromStatus, required.LastTransitionTime
	default:
		o.PricesFrom, o.PricedAt = PricesFromStatus, Ready(object).LastTransitionTime
	}
}

func isPriced(change PlannedChange) bool {
	return change.OneTime != nil || change.MonthlyAfter != nil
}

func knownBy(service *v1alpha1.BroadbandService, field string) (v1alpha1.ValueSource, metav1.Time) {
	for _, value := range valuesOf(service) {
		if value.Field == field || value.Field == fieldCancellation && isAboutCancellation(field) {
			return value.Source, value.Since
		}
	}
	return "", metav1.Time{}
}

func isAboutCancellation(field string) bool {
	return field == "disconnection" || strings.HasPrefix(field, fieldCancellation)
}

// PlanService plans a service with the operator's own decision function. It changes the object.
func PlanService(service *v1alpha1.BroadbandService, known Known) ObjectPlan {
	plan := ObjectPlan{Reference: ReferenceTo(service), Exists: service.Status.ObservedGeneration > 0}
	input := inputOf(service, known)
	decision := services.Decide(input)
	for _, want := range services.WantedRequests(&input) {
		plan.Requests = append(plan.Requests, PlannedRequest{want.Operation, want.Body})
	}
	if decision.Pending != nil {
		plan.take(service, decision.Pending.Hash, changesOf(decision.Pending, input, known))
		plan.datePrices(service, known.Offers)
	}
	if service.Spec.Plan != nil && service.LastKnown().Plan == nil {
		plan.NotKnown = true
		plan.Notes = append(plan.Notes, "the carrier's plan is not known yet: it is read before anything is decided about it")
	}
	if decision.Verdict.State != decide.Settled && decision.Verdict.Reason != v1alpha1.ReasonProgressing {
		plan.Notes = append(plan.Notes, noteOf(decision.Verdict.Reason, decision.Verdict.Message))
	}
	return plan
}

// changesOf returns the changes of a plan with the prices of the carrier's offers, if these are
// known. It acts as under policy Plan, which also prices changes that need no approval.
func changesOf(pending *v1alpha1.Pending, input services.Input, known Known) []v1alpha1.Change {
	if known.Offers == nil {
		return pending.Changes
	}
	onlyPlanned := input.Service.DeepCopy()
	onlyPlanned.Spec.ManagementPolicy = v1alpha1.ManagementPlan
	input.Service, input.Subject = onlyPlanned, onlyPlanned
	if priced := services.Decide(input).Pending; priced != nil {
		return priced.Changes
	}
	return pending.Changes
}

// noteOf says what prevents changes. It adds the message if an approval does not help.
func noteOf(reason, message string) string {
	if reason == v1alpha1.ReasonNotOffered {
		return reason + ": " + message
	}
	return reason
}

// inputOf returns the operator's input, without what a process of the operator has just read.
func inputOf(service *v1alpha1.BroadbandService, known Known) services.Input {
	if known.Ledger != nil {
		services.Project(service, known.Ledger, decide.Clock{Now: known.Now})
	}
	var order *services.Order
	if known.Order != nil {
		order = services.OrderOf(known.Order, service.AccountName())
	}
	services.TakeNumber(service, order)
	memory := decide.Memory{Observed: decide.Observed{FirstSeen: known.Now}}
	if known.Offers != nil {
		memory.Readings.Options = decide.Reading{
			State: decide.ReadingAnswered, RequestedAt: known.Now, Options: offersOf(known.Offers),
			Partial: known.Offers.Status.Truncated,
		}
	}
	return services.Input{
		Input: decide.Input{
			Subject: service, Ledger: known.Ledger, Account: accountIn(known.Account), Memory: memory,
			Now: known.Now, Submit: true,
		},
		Service: service, Order: order,
	}
}

func offersOf(query *v1alpha1.PlanOptionsQuery) carrier.PlanOptionsResult {
	var offers carrier.PlanOptionsResult
	for _, plan := range query.Status.Plans {
		offer := carrier.Plan{
			Plan: plan.Name, Term: plan.Term, PlanFee: feeOf(plan.OneTime, plan.Monthly),
			NFASFee: feeOf(plan.NFASOneTime, plan.NFASMonthly), RequiresAdditionalNTD: plan.RequiresAdditionalNTD,
		}
		for _, option := range plan.NTDOptions {
			offer.NTDOptions = append(offer.NTDOptions, carrier.NTDOption{
				Option: option.Option, Recommended: option.Recommended, Fee: feeOf(option.OneTime, option.Monthly),
			})
		}
		offers.Plans = append(offers.Plans, offer)
	}
	for _, sla := range query.Status.SLAs {
		offers.SLAs = append(offers.SLAs, carrier.SLA{SLA: sla.Name, Fee: feeOf(sla.OneTime, sla.Monthly)})
	}
	return offers
}

func feeOf(oneTime, monthly *v1alpha1.Money) *carrier.Fee {
	if oneTime == nil && monthly == nil {
		return nil
	}
	amount := func(money *v1alpha1.Money) *carrier.Money {
		if money == nil {
			return nil
		}
		return &carrier.Money{Amount: carrier.Number(money.Amount), Currency: money.Currency}
	}
	return &carrier.Fee{OneTimeCharge: amount(oneTime), MonthlyRecurringCharge: amount(monthly)}
}

// PlanNew returns the plan of an object, other than a service, that does not exist: one request.
func PlanNew(object fleet.Object) ObjectPlan {
	plan := ObjectPlan{Reference: ReferenceTo(object)}
	switch object := object.(type) {
	case *v1alpha1.ServiceOrder:
		for _, row := range orders.Rows(&object.Spec, object.Spec.RemoteOrderID, "") {
			plan.Changes = append(plan.Changes, PlannedChange{Change: row})
		}
	case *v1alpha1.DiagnosticTest:
		plan.Changes = []PlannedChange{{Change: v1alpha1.Change{
			Operation: v1alpha1.OperationDiagnosticTest, Field: "testType",
			To: cmp.Or(object.Spec.TestType, "a test"),
		}}}
	}
	return plan
}
