package simulator

import "github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"

// findService finds the service in the body. A service of another client does not exist (spec §7).
func (x *exchange) findService() error {
	if x.route.body != serviceIDField {
		return nil
	}
	svc := x.sim.existing(x.fields.number(serviceIDField))
	if svc == nil || svc.Client != x.client.Name {
		return problem.NotFound()
	}
	x.service = svc
	return nil
}

// serviceInPath finds the service whose id is in the path.
func (x *exchange) serviceInPath() (*serviceState, error) {
	if !numeric(x.id) {
		return nil, problem.NotNumeric("id")
	}
	svc := x.sim.existing(x.call.ServiceID)
	if svc == nil || svc.Client != x.client.Name {
		return nil, problem.NotFound()
	}
	return svc, nil
}

// requireActive refuses the call if the service is cancelled.
func (x *exchange) requireActive() error {
	if !x.service.CancellationState.cancelled(x.now) {
		return nil
	}
	return problem.Refused(problem.SubError{
		Code: "constraints.service.not.active", Message: "The service is cancelled",
		Field: serviceIDField, RejectedValue: x.service.ID,
	})
}

// requireModifiable applies the two rules for all modifications of a service.
func (x *exchange) requireModifiable() error {
	if err := x.requireActive(); err != nil {
		return err
	}
	return x.requireIdle()
}

// requireIdle refuses a modification while another one is in progress.
func (x *exchange) requireIdle() error {
	if x.service.busy(x.now) {
		return problem.Refused(problem.SubError{
			Code: "constraints.service.modification.request.in.progress", Message: "A modification is in progress",
			Field: serviceIDField, RejectedValue: x.service.ID,
		})
	}
	return nil
}
