package simulator

import "github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"

// profileFields is the body of a DSL stability profile change (spec §4).
func profileFields() []field {
	return []field{
		{name: serviceIDField, kind: number, required: true},
		{name: "dslStabilityProfile", kind: text, required: true, allowed: []string{standard, "Stable"}},
	}
}

func profileFamily() family {
	return family{
		operation: OpDSLStabilityProfileChange,
		accept:    acceptProfile, effect: changeProfile,
		announce: announceAs(profileChanged, profileNotChanged),
		pending:  showProfile, result: showProfile,
		failed: "constraints.service.dsl.stability.profile.change.status.in.error",
		object: "ServiceDslStabilityProfileChangeRequest",
	}
}

// acceptProfile applies spec §4: one change at a time, with its own error code.
func acceptProfile(x *exchange, _ *request) error {
	if x.service.Modifications.at(x.now).Operation == OpDSLStabilityProfileChange {
		return problem.Refused(problem.SubError{
			Code:    "constraints.service.dsl.stability.change.request.in.progress",
			Message: "A stability profile change is in progress",
			Object:  "CreateServiceDslStabilityProfileChangeRequestCommand",
			Field:   "serviceDslStabilityProfileChangeRequest", RejectedValue: x.service.ID,
		})
	}
	return x.requireModifiable()
}

func changeProfile(svc *serviceState, r *request) {
	svc.Profiles.set(r.DoneAt, r.body().text("dslStabilityProfile"))
}

// showProfile returns the DSL stability profile change resource of spec §2.
func showProfile(x *exchange, r *request) any {
	return r.shown(x, resource{
		"dslStabilityProfile": r.body().text("dslStabilityProfile"),
		"requestedById":       x.client.User.ID,
		"requestedByName":     x.client.User.Name,
		"errorDetail":         r.errorDetailAt(x.now),
	})
}
