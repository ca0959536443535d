package simulator

import (
	"cmp"
	"fmt"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// versionWithNewNames is the first version with the field names of spec §2. Version 5 has different
// ones.
const versionWithNewNames = 6

// healthResult has the fields of the service health resource that all versions share. Unknown
// values are null.
type healthResult struct {
	ID                 int64         `json:"id"`
	RequestedByID      int64         `json:"requestedById"`
	RequestedOn        string        `json:"requestedOn"`
	LastRefreshedOn    *string       `json:"lastRefreshedOn"`
	WholesaleServiceID *string       `json:"wholesaleServiceId"`
	TechnologyType     *string       `json:"technologyType"`
	Plan               *string       `json:"plan"`
	LocID              *string       `json:"locId"`
	AVCID              *string       `json:"avcId"`
	PRIID              *string       `json:"priId"`
	HRIID              *string       `json:"hriId"`
	ErrorDetail        *string       `json:"errorDetail"`
	CurrentCondition   *condition    `json:"currentCondition"`
	NextAction         *healthAction `json:"nextAction"`
}

type condition struct {
	Code         string `json:"code"`
	Status       string `json:"status"`
	AlertMessage string `json:"alertMessage"`
	Summary      string `json:"summary"`
}

type healthAction struct {
	Code        string `json:"code"`
	Description string `json:"description"`
}

// healthV6 is the resource of versions 6 to 8.
type healthV6 struct {
	healthResult

	Status           string           `json:"status"`
	Indicator        *indicator       `json:"indicator"`
	HealthCategories []HealthCategory `json:"healthCategories"`
}

type indicator struct {
	Connectivity string `json:"connectivity"`
	Performance  string `json:"performance"`
	Stability    string `json:"stability"`
}

// healthV5 is the resource of version 5.
type healthV5 struct {
	healthResult

	ServiceStatus  string           `json:"serviceStatus"`
	Indicators     *indicatorsV5    `json:"indicators"`
	HealthCategory []HealthCategory `json:"healthCategory"`
}

type indicatorsV5 struct {
	Connectivity string `json:"connectivityIndicator"`
	Performance  string `json:"performanceIndicator"`
	Stability    string `json:"stabilityIndicator"`
}

func healthFamily() family {
	return family{
		operation: OpHealth,
		accept:    acceptHealth, pending: pendingHealth, result: showHealth,
		failed: "constraints.service.health.request.status.in.error", object: "ServiceHealthRequest",
	}
}

// acceptHealth accepts every request, or only one at a time of a service if the seed says so. The
// request fails later if the service's Health.Fails is set.
func acceptHealth(x *exchange, r *request) error {
	if x.sim.options.Seed.OneHealthRequest && x.now.Before(x.service.checkedUntil) {
		return problem.Refused(problem.SubError{
			Code: "constraints.service.health.request.in.progress", Message: "A health request is in progress",
			Object: "CreateServiceHealthRequestCommand", Field: serviceIDField, RejectedValue: x.service.ID,
		})
	}
	x.service.checkedUntil = r.DoneAt
	if x.service.Health.Fails {
		r.Failure, r.ErrorDetail = statusFailed, cmp.Or(x.service.Health.ErrorDetail, "The health is not available")
	}
	return nil
}

// pendingHealth applies spec §2: the 202 of version 5 has all fields, and the content fields are
// null.
func pendingHealth(x *exchange, r *request) any {
	if x.version >= versionWithNewNames {
		return nil
	}
	return healthV5{healthResult: x.healthHead(r), ServiceStatus: r.status(x.now)}
}

// healthHead returns the fields of a health request that are known from the start.
func (x *exchange) healthHead(r *request) healthResult {
	return healthResult{ID: r.Number, RequestedByID: x.client.User.ID, RequestedOn: timestamp(r.SubmittedAt)}
}

func showHealth(x *exchange, r *request) any {
	svc := x.sim.services[r.ServiceID]
	found := svc.Health
	light := indicator{
		Connectivity: cmp.Or(found.Connectivity, green),
		Performance:  cmp.Or(found.Performance, green),
		Stability:    cmp.Or(found.Stability, green),
	}
	head, categories := x.healthContent(r, svc), svc.healthCategories()
	if x.version >= versionWithNewNames {
		return healthV6{
			healthResult: head, Status: r.status(x.now), Indicator: &light, HealthCategories: categories,
		}
	}
	old := indicatorsV5(light)
	return healthV5{
		healthResult: head, ServiceStatus: r.status(x.now), Indicators: &old, HealthCategory: categories,
	}
}

const green = "Green"

// healthContent returns the content of a health result, with the plan that the service had when the
// request completed.
func (x *exchange) healthContent(r *request, svc *serviceState) healthResult {
	found, head, refreshed := svc.Health, x.healthHead(r), timestamp(r.DoneAt)
	plan := x.sim.catalog.healthName(svc.plan.at(r.DoneAt).Name)
	record := cmp.Or(found.HRIID, fmt.Sprintf("HRI%020d", r.Number))
	head.LastRefreshedOn = &refreshed
	head.WholesaleServiceID, head.TechnologyType = &svc.WholesaleServiceID, &svc.TechnologyType
	head.Plan, head.LocID, head.AVCID = &plan, &svc.LocationID, orNull(*svc.AVCID)
	head.PRIID, head.HRIID, head.ErrorDetail = &svc.PRIID, &record, orNull(found.ErrorDetail)
	head.CurrentCondition = &condition{
		Code: found.Code, Status: cmp.Or(found.Status, green),
		AlertMessage: found.AlertMessage, Summary: found.Summary,
	}
	head.NextAction = &healthAction{Code: found.NextAction.Code, Description: found.NextAction.Description}
	return head
}

// healthName returns the spelling of a plan in health results.
func (c *catalog) healthName(plan string) string {
	return cmp.Or(c.plans[plan].HealthName, plan)
}

// healthCategories returns the seed's categories, or the one that every technology has.
func (svc *serviceState) healthCategories() []HealthCategory {
	if svc.Health.Categories != nil {
		return svc.Health.Categories
	}
	status := green
	return []HealthCategory{{
		Type:  "OperationalStatus",
		Items: []HealthItem{{Type: "OperationalStatus", ID: "OPERATIONAL_STATUS", Status: &status}},
	}}
}
