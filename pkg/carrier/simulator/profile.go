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
		announce: announceAs(profileChanged(), profileNotChanged()),
		pending:  showProfile, result: showProfile,
		failed: "constraints.service.dsl.stability.profile.change.status.in.error",
		object: "ServiceDslStabilityProfileChangeRequest",
	}
}

// acceptProfile applies spec §4: one change at a time, with its own error code.
func acceptProfile(x *exchange, _ *request) error {
	if x.service.modification.at(x.now).Operation == OpDSLStabilityProfileChange {
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
	svc.profile.set(r.DoneAt, r.body().text("dslStabilityProfile"))
}

// profileResult is the DSL stability profile change resource of spec §2.
type profileResult struct {
	ID                  int64   `json:"id"`
	ServiceID           int64   `json:"serviceId"`
	DSLStabilityProfile string  `json:"dslStabilityProfile"`
	Status              string  `json:"status"`
	RequestedOn         string  `json:"requestedOn"`
	RequestedByID       int64   `json:"requestedById"`
	RequestedByName     string  `json:"requestedByName"`
	ErrorDetail         *string `json:"errorDetail"`
}

func showProfile(x *exchange, r *request) any {
	return profileResult{
		ID: r.Number, ServiceID: r.ServiceID, DSLStabilityProfile: r.body().text("dslStabilityProfile"),
		Status: r.status(x.now), RequestedOn: timestamp(r.SubmittedAt),
		RequestedByID: x.client.User.ID, RequestedByName: x.client.User.Name, ErrorDetail: r.errorDetailAt(x.now),
	}
}
