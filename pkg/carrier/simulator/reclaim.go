package simulator

import (
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
)

func reclaimFamily() family {
	return family{
		operation: OpReclaim,
		accept:    acceptReclaim, effect: reclaim, result: showReclaim,
		announce: announceAs(reclaimActivated, reclaimFailed),
		failed:   "constraints.service.reclaim.request.status.in.error", object: "ServiceReclaimRequest",
	}
}

// acceptReclaim applies spec §4: the disconnection must be reversible, so the service must be
// disconnected and the deadline must not have passed.
func acceptReclaim(x *exchange, _ *request) error {
	today := x.now.In(x.sim.zone).Format(time.DateOnly)
	if !x.service.CancellationState.cancelled(x.now) || x.service.ReclaimableUntil < today {
		return problem.Refused(problem.SubError{
			Code:    "constraints.service.not.eligible.for.reclaims",
			Message: "The disconnection of the service is not reversible",
			Object:  "CreateServiceReclaimRequestCommand", Field: serviceIDField, RejectedValue: x.service.ID,
		})
	}
	return x.requireIdle()
}

// reclaim ends the cancellation when the request completes.
func reclaim(svc *serviceState, r *request) {
	svc.CancellationState.ReclaimedAt = r.DoneAt
}

// showReclaim returns the reclaim resource of spec §2.
func showReclaim(x *exchange, r *request) any { return r.shown(x, nil) }
