// SPDX-License-Identifier: Apache-2.0

package gitops_test

import "github.com/broadband-operator/broadband-operator/api/v1alpha1"

// health is a health status of Argo CD.
type health string

const (
	healthy     health = "Healthy"
	progressing health = "Progressing"
	suspended   health = "Suspended"
	degraded    health = "Degraded"
)

// table returns the health of an object for each reason of Ready. Reasons of other conditions have
// no health.
func table() map[string][]health {
	return map[string][]health{
		// As declared, or ended well. An order that the carrier has accepted is healthy although the
		// service comes days later: a sync wave does not wait for it.
		v1alpha1.ReasonTokenIssued: {healthy},
		v1alpha1.ReasonInSync:      {healthy},
		v1alpha1.ReasonCompleted:   {healthy},
		v1alpha1.ReasonExpired:     {healthy},
		v1alpha1.ReasonSubmitted:   {healthy},
		v1alpha1.ReasonCancelled:   {healthy, degraded},     // declared, or found
		v1alpha1.ReasonDrifted:     {degraded, progressing}, // reported, or waiting for the day of its correction

		// Continues without a person.
		v1alpha1.ReasonProgressing:         {progressing},
		v1alpha1.ReasonOverdue:             {progressing},
		v1alpha1.ReasonCarrierHold:         {progressing},
		v1alpha1.ReasonPlanUnknown:         {progressing},
		v1alpha1.ReasonAccountNotReady:     {progressing},
		v1alpha1.ReasonOrderNotReady:       {progressing},
		v1alpha1.ReasonServiceNotReady:     {progressing},
		v1alpha1.ReasonCarrierUnavailable:  {progressing},
		v1alpha1.ReasonBreakerOpen:         {progressing},
		v1alpha1.ReasonChargeLimit:         {progressing},
		v1alpha1.ReasonUnreachable:         {progressing},
		v1alpha1.ReasonDSLChangeInProgress: {progressing},
		v1alpha1.ReasonChangeInProgress:    {progressing},

		v1alpha1.ReasonAnotherTestInProgress: {progressing, degraded}, // degraded if the other test waits for a person

		// Waits because a person requested it.
		v1alpha1.ReasonPlanned:          {suspended},
		v1alpha1.ReasonSuspended:        {suspended},
		v1alpha1.ReasonAwaitingApproval: {suspended},
		v1alpha1.ReasonNewInstallation:  {suspended},
		v1alpha1.ReasonObserving:        {healthy, suspended}, // read only, and a repeat that needs more than that

		// Only a person can help.
		v1alpha1.ReasonPolicyMissing:               {degraded},
		v1alpha1.ReasonSecretNotFound:              {degraded},
		v1alpha1.ReasonTestTypeNotOffered:          {degraded},
		v1alpha1.ReasonKeyInvalid:                  {degraded},
		v1alpha1.ReasonTokenRejected:               {degraded},
		v1alpha1.ReasonTokenNotAccepted:            {degraded},
		v1alpha1.ReasonTokenTooShort:               {degraded},
		v1alpha1.ReasonInsecureCarrier:             {degraded},
		v1alpha1.ReasonClockSkew:                   {degraded},
		v1alpha1.ReasonInvalid:                     {degraded},
		v1alpha1.ReasonOutcomeUnknown:              {degraded},
		v1alpha1.ReasonStatusLost:                  {degraded},
		v1alpha1.ReasonLedgerLost:                  {degraded},
		v1alpha1.ReasonLateAcceptance:              {degraded},
		v1alpha1.ReasonLedgerUnreadable:            {degraded},
		v1alpha1.ReasonLedgerDeleting:              {degraded},
		v1alpha1.ReasonAPIServerRefused:            {degraded},
		v1alpha1.ReasonHandleLost:                  {degraded},
		v1alpha1.ReasonUnanswered:                  {degraded},
		v1alpha1.ReasonConflict:                    {degraded},
		v1alpha1.ReasonTermUnknown:                 {degraded},
		v1alpha1.ReasonNTDOptionRequired:           {degraded},
		v1alpha1.ReasonNotOffered:                  {degraded},
		v1alpha1.ReasonContactRequired:             {degraded},
		v1alpha1.ReasonUnsupportedByAPIVersion:     {degraded},
		v1alpha1.ReasonNotFoundOrForbidden:         {degraded},
		v1alpha1.ReasonRequestInvalid:              {degraded},
		v1alpha1.ReasonOrderDiffers:                {degraded},
		v1alpha1.ReasonOrderGone:                   {degraded},
		v1alpha1.ReasonOrderRejected:               {degraded},
		v1alpha1.ReasonOrderNotPossible:            {degraded},
		v1alpha1.ReasonCarrierRejected:             {degraded},
		v1alpha1.ReasonAbandoned:                   {degraded},
		v1alpha1.ReasonServiceNotTC4:               {degraded},
		v1alpha1.ReasonAggregationConversionFailed: {degraded},
		v1alpha1.ReasonPlanNameInvalid:             {degraded},
		v1alpha1.ReasonPlanChangeFailed:            {degraded},
		v1alpha1.ReasonDSLChangeFailed:             {degraded},
		v1alpha1.ReasonFibreBuildQuoteFailed:       {degraded},
		v1alpha1.ReasonInvalidFormat:               {degraded},
		v1alpha1.ReasonNotEligibleForReclaim:       {degraded},
		v1alpha1.ReasonReclaimFailed:               {degraded},
		v1alpha1.ReasonRequiredFieldMissing:        {degraded},
		v1alpha1.ReasonDateInPast:                  {degraded},
		v1alpha1.ReasonCancellationNotRequested:    {degraded},
		v1alpha1.ReasonNotEligibleForCancellation:  {degraded},
		v1alpha1.ReasonDiagnosticTestTimedOut:      {degraded},
		v1alpha1.ReasonDiagnosticTestFailed:        {degraded},
		v1alpha1.ReasonAVCIDNotAllowed:             {degraded},
		v1alpha1.ReasonTransferTypeNotAllowed:      {degraded},
		v1alpha1.ReasonResultDiffers:               {degraded},

		// Reasons of an aspect or of an Event, and never of Ready.
		v1alpha1.ReasonConnected:  nil,
		v1alpha1.ReasonHealthGood: nil,
		v1alpha1.ReasonAnswering:  nil,

		v1alpha1.ReasonExtensionUnavailable: nil,

		v1alpha1.ReasonHealthImpaired:   nil,
		v1alpha1.ReasonHealthNotRated:   nil,
		v1alpha1.ReasonDisruptionActive: nil,
		v1alpha1.ReasonNoDisruption:     nil,
	}
}
