// SPDX-License-Identifier: Apache-2.0

package controllers

// Event reasons of this package, beside the reasons of Ready, and those of the notifications that are
// shown. docs/operations.md lists them all.
const (
	eventAnnotationUnused  = "AnnotationUnused"
	eventNotCancelled      = "AppointmentNotCancelled"
	eventOrderContinues    = "OrderContinues"
	eventRequestContinues  = "RequestContinues"
	eventDeprecatedVersion = "DeprecatedAPIVersion"
	eventRevisionIgnored   = "LedgerRevisionIgnored"
	eventLedgerKept        = "LedgerKept"
	eventLedgerForgotten   = "LedgerForgotten"
	eventContinued         = "LoginContinued"
	eventNotContinued      = "LoginNotContinued"
	eventNotRecorded       = "RejectionNotRecorded"
	eventPolicyMissing     = "PolicyMissing"
	eventPolicyRestored    = "PolicyRestored"
)
