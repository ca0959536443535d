package simulator

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

// versionWithNewNames is the first version with the field names of spec §2. Version 5 has different
// ones.
const versionWithNewNames = 6

func healthFamily() family {
	return family{
		operation: OpHealth,
		accept:    acceptHealth, pending: pendingHealth, result: showHealth,
		failed: "constraints.service.health.request.status.in.error", object: "ServiceHealthRequest",
	}
}

// acceptHealth accepts every request, or only one at a time per service if the seed says so. The
// request fails later if the service's Health.Fails is set.
func acceptHealth(x *exchange, r *request) error {
	if x.sim.options.Seed.OneHealthRequest && x.now.Before(x.service.CheckedUntil) {
		return problem.Refused(problem.SubError{
			Code: "constraints.service.health.request.in.progress", Message: "A health request is in progress",
			Object: "CreateServiceHealthRequestCommand", Field: serviceIDField, RejectedValue: x.service.ID,
		})
	}
	x.service.CheckedUntil = r.DoneAt
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
	shown := x.healthHead(r)
	shown["serviceStatus"], shown["indicators"], shown["healthCategory"] = r.status(x.now), nil, nil
	for _, name := range []string{
		"lastRefreshedOn", "wholesaleServiceId", "technologyType", "plan", "locId", "avcId", "priId", "hriId",
		"errorDetail", "currentCondition", "nextAction",
	} {
		shown[name] = nil
	}
	return shown
}

// healthHead returns the fields of a health request that are known from the start.
func (x *exchange) healthHead(r *request) resource {
	return resource{"id": r.Number, "requestedById": x.client.User.ID, "requestedOn": timestamp(r.SubmittedAt)}
}

// showHealth returns the service health resource of spec §2. Version 5 has other names for three of
// its fields.
func showHealth(x *exchange, r *request) any {
	svc := x.sim.state.Services[r.ServiceID]
	shown, found := x.healthContent(r, svc), svc.Health
	status, indicator, categories, suffix := statusField, "indicator", "healthCategories", ""
	if x.version < versionWithNewNames {
		status, indicator, categories, suffix = "serviceStatus", "indicators", "healthCategory", "Indicator"
	}
	shown[status], shown[categories] = r.status(x.now), svc.healthCategories()
	shown[indicator] = resource{
		"connectivity" + suffix: cmp.Or(found.Connectivity, green),
		"performance" + suffix:  cmp.Or(found.Performance, green),
		"stability" + suffix:    cmp.Or(found.Stability, green),
	}
	return shown
}

const green = "Green"

// healthContent returns the content of a health result, with the plan that the service had when the
// request completed.
func (x *exchange) healthContent(r *request, svc *serviceState) resource {
	found, shown := svc.Health, x.healthHead(r)
	maps.Copy(shown, resource{
		"lastRefreshedOn":    timestamp(r.DoneAt),
		"wholesaleServiceId": svc.WholesaleServiceID,
		"technologyType":     svc.TechnologyType,
		"plan":               x.sim.catalog.healthName(svc.Plans.at(r.DoneAt).Name),
		"locId":              svc.LocationID,
		"avcId":              orNull(*svc.AVCID),
		"priId":              svc.PRIID,
		"hriId":              cmp.Or(found.HRIID, fmt.Sprintf("HRI%020d", r.Number)),
		"errorDetail":        orNull(found.ErrorDetail),
		"currentCondition": resource{
			"code": found.Code, statusField: cmp.Or(found.Status, green),
			"alertMessage": found.AlertMessage, "summary": found.Summary,
		},
		"nextAction": resource{"code": found.NextAction.Code, "description": found.NextAction.Description},
	})
	return shown
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
