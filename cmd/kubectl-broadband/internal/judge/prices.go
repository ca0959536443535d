// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Inquiry is a service about whose offers the carrier is asked.
type Inquiry struct {
	Service *v1alpha1.BroadbandService
	Number  v1alpha1.CarrierID       // which it may have from its order
	Account *v1alpha1.CarrierAccount // nil: it does not exist
}

// Answer is the response to an inquiry: the query with the carrier's offers, or why there are none.
type Answer struct {
	Offers *v1alpha1.PlanOptionsQuery
	why    string
}

// AnswerOf returns the response that a query has, which will not change any more.
func AnswerOf(query *v1alpha1.PlanOptionsQuery) Answer {
	ready := Ready(query)
	switch {
	case ready.Status == metav1.ConditionTrue:
		return Answer{Offers: query}
	case Condition(query, v1alpha1.ConditionStalled) != nil:
		return Answer{why: ready.Reason + ": " + ready.Message}
	}
	return Answer{why: "the query was deleted before the carrier had answered"}
}

// Why says why there are no offers; "" if there are.
func (a Answer) Why() string {
	if a.Offers == nil && a.why == "" {
		return "the carrier has not answered: check that the account can log in and that the operator runs"
	}
	return a.why
}

// PlanPriced plans a service with what the carrier offers for it.
func PlanPriced(service *v1alpha1.BroadbandService, known Known, answer Answer) ObjectPlan {
	known.Offers = answer.Offers
	plan := PlanService(service.DeepCopy(), known)
	if why := answer.Why(); why != "" {
		plan.Notes = append(plan.Notes, "the present price is not known: "+why)
	}
	return plan
}

// callsPerQuery are the calls that a query takes if the carrier has the result at the first poll.
const callsPerQuery = 2

// LeastTime returns the shortest time in which the carrier can respond at the rateLimit.
func LeastTime(inquiries []Inquiry) time.Duration {
	calls := make(map[*v1alpha1.CarrierAccount]int)
	for _, inquiry := range inquiries {
		calls[inquiry.Account] += callsPerQuery
	}
	var longest time.Duration
	for account, number := range calls {
		limit := v1alpha1.RateLimit{}
		if account != nil {
			limit = account.Spec.RateLimit
		}
		longest = max(longest, time.Duration(number)*time.Second/time.Duration(decide.RateOf(limit).RequestsPerSecond))
	}
	return longest.Round(time.Second)
}

// NamespacesOf returns the namespaces of the services that inquiries are about.
func NamespacesOf(inquiries []Inquiry) []string {
	all := make(map[string]struct{})
	for _, inquiry := range inquiries {
		all[inquiry.Service.Namespace] = struct{}{}
	}
	return slices.Sorted(maps.Keys(all))
}

// Offers are what the carrier offers for a service. A fee that is absent is unknown, not zero.
type Offers struct {
	Object    Reference             `json:"object"`
	Plan      string                `json:"plan,omitempty"` // the present one, if it is known
	SLA       string                `json:"restorationSLA,omitempty"`
	ReadAt    metav1.Time           `json:"readAt,omitzero"`
	Plans     []v1alpha1.PlanOption `json:"plans"`
	SLAs      []v1alpha1.SLAOption  `json:"slas"`
	Truncated bool                  `json:"truncated,omitempty"` // whether options are omitted
}

// OffersOf returns the offers that a query has.
func OffersOf(service *v1alpha1.BroadbandService, query *v1alpha1.PlanOptionsQuery) *Offers {
	offers := &Offers{
		Object: ReferenceTo(service), Plans: query.Status.Plans, SLAs: query.Status.SLAs,
		Truncated: query.Status.Truncated,
	}
	if query.Status.Request != nil {
		offers.ReadAt = query.Status.Request.FinishedAt
	}
	known := service.LastKnown()
	if known.Plan != nil {
		offers.Plan = known.Plan.Value
	}
	if known.RestorationSLA != nil {
		offers.SLA = known.RestorationSLA.Value
	}
	return offers
}
