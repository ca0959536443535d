// SPDX-License-Identifier: Apache-2.0

// Package judge derives from objects what the plugin's commands show: what needs a person, what
// would change and what it costs. Everything here is a pure function of objects and a time.
package judge

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Action is what a person has to do.
type Action string

// The actions, in the order in which they are shown.
const (
	Approve Action = "approve" // decide about changes and their price
	Resolve Action = "resolve" // ask the carrier what became of a request
	Correct Action = "correct" // change the manifest
	Look    Action = "look"    // find the cause first
)

// Actions returns the actions in the order in which they are shown.
func Actions() []Action { return []Action{Approve, Resolve, Correct, Look} }

// Heading says what the objects of an action wait for.
func (a Action) Heading() string {
	switch a {
	case Approve:
		return "APPROVE: changes wait for your approval"
	case Resolve:
		return "RESOLVE: ask the carrier what became of these requests"
	case Correct:
		return "CORRECT: the manifest, or what it refers to, is not accepted"
	case Look:
	}
	return "LOOK: find the cause; the message says what to do"
}

// actionOf returns what a person has to do about a reason: Look, if this version does not know it.
func actionOf(reason string) Action {
	switch reason {
	case v1alpha1.ReasonAwaitingApproval:
		return Approve
	case v1alpha1.ReasonOutcomeUnknown, v1alpha1.ReasonStatusLost, v1alpha1.ReasonLedgerLost, v1alpha1.ReasonHandleLost,
		v1alpha1.ReasonLateAcceptance, v1alpha1.ReasonOrderRejected:
		return Resolve
	}
	if isCorrectable(reason) || decide.IsRefusal(reason) {
		return Correct
	}
	return Look
}

// isCorrectable reports whether the operator itself has found what to correct.
func isCorrectable(reason string) bool {
	switch reason {
	case v1alpha1.ReasonSecretNotFound, v1alpha1.ReasonKeyInvalid, v1alpha1.ReasonInsecureCarrier,
		v1alpha1.ReasonInvalid, v1alpha1.ReasonConflict,
		v1alpha1.ReasonTermUnknown, v1alpha1.ReasonNTDOptionRequired, v1alpha1.ReasonContactRequired,
		v1alpha1.ReasonNotOffered,
		v1alpha1.ReasonUnsupportedByAPIVersion, v1alpha1.ReasonOrderDiffers, v1alpha1.ReasonOrderNotPossible,
		v1alpha1.ReasonOrderGone, v1alpha1.ReasonCancelled, v1alpha1.ReasonAbandoned, v1alpha1.ReasonResultDiffers:
		return true
	}
	return false
}
