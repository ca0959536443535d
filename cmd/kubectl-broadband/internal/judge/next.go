// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"slices"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// nextCommands returns what to do next about an object, as commands to paste; empty if nothing needs a
// person, or if only the message says what to do.
func nextCommands(object fleet.Object, detail *Detail) []string {
	next := []string{}
	add := func(command string) {
		if command != "" && !slices.Contains(next, command) {
			next = append(next, command)
		}
	}
	for _, need := range detail.Needs {
		switch need.Action {
		case Approve:
			add(detail.Command("approve"))
			if decide.HasUnknown(detail.Changes) {
				add(detail.Command("trust"))
			}
		case Resolve:
			add(detail.Command("resolve"))
		case Correct:
			add(editCommand(object, detail))
			add(retryCommand(object, detail))
		case Look:
			add(lookCommand(object, detail))
		}
	}
	return next
}

// editCommand returns "" if the API server refuses every change of the spec.
func editCommand(object fleet.Object, detail *Detail) string {
	order, is := object.(*v1alpha1.ServiceOrder)
	if fleet.KindOf(object).Immutable() || is && order.Status.Frozen {
		return ""
	}
	return "kubectl edit -n " + detail.Namespace + " " + detail.Short()
}

func retryCommand(object fleet.Object, detail *Detail) string {
	if RetryOf(object) == nil {
		return ""
	}
	return detail.Command("retry")
}

// lookCommand returns the command that makes the operator try again once a person has removed the
// cause; "" if the operator does so without one, or never.
func lookCommand(object fleet.Object, detail *Detail) string {
	if fleet.KindOf(object).ReadsOnRequest() {
		return "kubectl annotate --overwrite -n " + detail.Namespace + " " + detail.Short() + " " +
			v1alpha1.AnnotationReconcile + "=\"$(date -u +%FT%TZ)\""
	}
	return retryCommand(object, detail)
}

// RetryOf returns the failed attempt of an object that a retry annotation would make again; nil if
// there is none. The newest failure of the present manifest counts, and a result that differs from
// what was requested, whatever the manifest. An order that was accepted, or that a person has
// abandoned, is never sent again.
func RetryOf(object fleet.Object) *v1alpha1.Request {
	var newest *v1alpha1.Request
	requests := RequestsOf(object)
	for i := range requests {
		request := &requests[i]
		differs := decide.ResultDiffers(request)
		current := decide.EndedInFailure(request) && (differs || request.Generation == object.GetGeneration())
		final := request.Operation == v1alpha1.OperationOrderCreate &&
			(differs || request.Phase == v1alpha1.PhaseAbandoned)
		if current && !final && (newest == nil || newest.FinishedAt.Before(&request.FinishedAt)) {
			newest = request
		}
	}
	return newest
}
