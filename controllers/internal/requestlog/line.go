// SPDX-License-Identifier: Apache-2.0

// Package requestlog writes a line of JSON for each phase of each request that a RequestLedger
// records. A ledger keeps ten requests and Events last an hour, so these lines are what an auditor
// keeps. docs/requestlog.md describes them, and docs/requestlog.schema.json is their schema.
package requestlog

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Schema identifies the form of a line. Fields are added to it, never changed or removed.
const Schema = "wholesale.broadband/request/v1"

// Line is one phase of an attempt, as its ledger records it. It has no contact data and no secret.
type Line struct {
	Schema      string                `json:"schema"`
	Time        time.Time             `json:"time"` // when the line was written
	Attempt     string                `json:"attempt"`
	Phase       v1alpha1.RequestPhase `json:"phase"`
	Operation   v1alpha1.Operation    `json:"operation"`
	Service     v1alpha1.CarrierID    `json:"service,omitempty"` // the carrier's number for it
	Order       string                `json:"order,omitempty"`   // its customerReference
	Object      Object                `json:"object"`
	Login       v1alpha1.CarrierLogin `json:"login"`
	Ledger      string                `json:"ledger"`
	SubmittedAt time.Time             `json:"submittedAt,omitzero"`
	FinishedAt  time.Time             `json:"finishedAt,omitzero"`
	EndedBy     v1alpha1.EndedBy      `json:"endedBy,omitempty"`
	Changes     []Change              `json:"changes,omitempty"`
	Price       *decide.Price         `json:"price"` // null: it is not known
	Approved    *Decision             `json:"approved,omitempty"`
	Retried     *Decision             `json:"retried,omitempty"`
	Resolved    *Decision             `json:"resolved,omitempty"`
	Location    string                `json:"location,omitempty"` // its last segment is the carrier's number for it
	Code        string                `json:"code,omitempty"`     // the carrier's
}

// Object is the object that the request is for. Its name is empty if another object manages the
// subject by now, and for a DiagnosticTest, whose ledger does not record it.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	UID       string `json:"uid"`
}

// Change is one value that the request changes.
type Change struct {
	Field string `json:"field"`
	From  string `json:"from,omitempty"` // empty: it is not known
	To    string `json:"to"`
}

// Decision is the value of a control annotation, and who set it.
type Decision struct {
	Value string `json:"value,omitempty"`
	By    string `json:"by,omitempty"` // as in [v1alpha1.Request]
}

// lineOf returns the line about an attempt in a ledger.
func lineOf(ledger *v1alpha1.RequestLedger, attempt *v1alpha1.EndedAttempt, now time.Time) Line {
	line := Line{
		Schema: Schema, Time: now.UTC(), Attempt: attempt.AttemptID, Phase: attempt.Outcome, Operation: attempt.Operation,
		Object: Object{Kind: "BroadbandService", UID: attempt.UID}, Login: ledger.Spec.Login, Ledger: ledger.Name,
		SubmittedAt: attempt.SubmittedAt.UTC(), FinishedAt: attempt.FinishedAt.UTC(), EndedBy: attempt.EndedBy,
		Price:    decide.PriceOf(attempt.Changes),
		Approved: decisionOf(attempt.ApprovedHash, attempt.ApprovedBy), Retried: decisionOf(attempt.Retry, attempt.RetriedBy),
		Resolved: resolutionOf(attempt), Location: attempt.Location, Code: attempt.Code,
	}
	switch spec := &ledger.Spec; {
	case spec.Order != nil:
		line.Object.Kind, line.Order = "ServiceOrder", spec.Order.CustomerReference
	case spec.Diagnostics != nil:
		line.Object.Kind, line.Service = "DiagnosticTest", spec.Diagnostics.ID
	case spec.Service != nil:
		line.Service = spec.Service.ID
	}
	if holder := ledger.Spec.Holder; holder.UID == attempt.UID {
		line.Object.Namespace, line.Object.Name = holder.Namespace, holder.Name
	}
	for _, change := range attempt.Changes {
		line.Changes = append(line.Changes, Change{Field: change.Field, From: change.From, To: change.To})
	}
	return line
}

func decisionOf(value, by string) *Decision {
	if value == "" && by == "" {
		return nil
	}
	return &Decision{Value: value, By: by}
}

func resolutionOf(attempt *v1alpha1.EndedAttempt) *Decision {
	if attempt.ResolvedBy == nil {
		return nil
	}
	return decisionOf(attempt.ResolvedBy.Word, attempt.ResolvedBy.By)
}
