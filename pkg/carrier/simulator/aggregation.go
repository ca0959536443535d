package simulator

import "github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"

// aggregationFields is the body of an aggregation conversion (spec §4).
func aggregationFields() []field {
	return []field{
		{name: serviceIDField, kind: number, required: true},
		{name: "aggregationMethod", kind: text, required: true, allowed: aggregationMethods()},
	}
}

// ethernet is the method with two tags.
const ethernet = "ETHERNET"

func aggregationMethods() []string { return []string{"L2TP", ethernet} }

func aggregationFamily() family {
	return family{
		operation: OpAggregationConversion,
		accept:    acceptAggregation, effect: convertAggregation,
		announce: announceAs(aggregationModified, aggregationNotModified),
		pending:  showAggregation, result: showAggregation, // spec §3: 202 with resource
		failed: "constraints.service.aggregation.conversion.request.failed", failure: statusFailed,
		object: "ServiceAggregationConversionRequest",
	}
}

// acceptAggregation applies spec §7: the service must be a TC4 service.
func acceptAggregation(x *exchange, _ *request) error {
	if x.service.TrafficClass != defaultTrafficClass {
		return problem.Refused(problem.SubError{
			Code: "constraints.service.not.tc4", Message: "The service is not a TC4 service",
			Object: "CreateServiceAggregationConversionRequestCommand",
			Field:  "technologyType", RejectedValue: x.service.TechnologyType, // spec §7 has this field
		})
	}
	return x.requireModifiable()
}

func convertAggregation(svc *serviceState, r *request) {
	svc.Aggregations.set(r.DoneAt, r.body().text("aggregationMethod"))
}

// showAggregation returns the aggregation conversion resource of spec §2.
func showAggregation(x *exchange, r *request) any {
	return r.shown(x, resource{
		"convertTo":        r.body().text("aggregationMethod"),
		"requestedById":    x.client.User.ID,
		"requestedByName":  x.client.User.Name,
		"requestedByEmail": x.client.User.Email,
		"errorDetail":      r.errorDetailAt(x.now),
	})
}
