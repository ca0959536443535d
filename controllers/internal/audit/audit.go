// SPDX-License-Identifier: Apache-2.0

// Package audit writes a line of JSON for each phase of each request to a carrier. The lines are for a
// log shipper to keep: docs/audit.md describes them, and docs/audit.schema.json is their schema.
package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Schema identifies the form of a line. Fields are added to it, never changed or removed.
const Schema = "wholesale.broadband/audit/v1"

// Line is what is kept of a phase of an attempt. It has no contact data, no secret, and no text of the
// carrier, which could contain either.
type Line struct {
	Schema    string                `json:"schema"`
	Time      time.Time             `json:"time"`
	Attempt   string                `json:"attempt"`
	Phase     v1alpha1.RequestPhase `json:"phase"`
	Operation v1alpha1.Operation    `json:"operation"`
	Object    Object                `json:"object"`
	About     string                `json:"about,omitempty"` // service 1234567, order SITE-014
	Account   string                `json:"account,omitempty"`
	Login     v1alpha1.CarrierLogin `json:"login"`
	SentAt    time.Time             `json:"sentAt,omitzero"`
	EndedAt   time.Time             `json:"endedAt,omitzero"`
	EndedBy   v1alpha1.EndedBy      `json:"endedBy,omitempty"`
	Changes   []Change              `json:"changes,omitempty"`
	Price     *decide.Price         `json:"price"` // null: it is not known
	Approved  *Decision             `json:"approved,omitempty"`
	Retried   *Decision             `json:"retried,omitempty"`
	Resolved  *Decision             `json:"resolved,omitempty"`
	Location  string                `json:"location,omitempty"` // its last segment is the carrier's number for the request
	Refusal   *Refusal              `json:"refusal,omitempty"`
}

// Object is the object that the request is for.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
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
	By    string `json:"by,omitempty"` // a user, or without config/usernames a client
}

// Refusal is why a request did not succeed, or why its outcome is not known.
type Refusal struct {
	HTTPStatus int32  `json:"httpStatus,omitempty"`
	Code       string `json:"code,omitempty"`
}

// Of returns the line about a request for an object of an account.
func Of(object client.Object, account *v1alpha1.CarrierAccount, request *v1alpha1.Request, now time.Time) Line {
	line := Line{
		Schema: Schema, Time: now.UTC(), Attempt: request.AttemptID, Phase: request.Phase, Operation: request.Operation,
		Object: Object{
			Kind: reflect.TypeOf(object).Elem().Name(), Namespace: object.GetNamespace(), Name: object.GetName(),
			UID: string(object.GetUID()),
		},
		About: aboutOf(object), Login: request.Login,
		SentAt: request.SubmittedAt.UTC(), EndedAt: request.FinishedAt.UTC(), EndedBy: request.EndedBy,
		Approved: decisionOf(request.ApprovedHash, request.ApprovedBy), Retried: decisionOf(request.Retry, request.RetriedBy),
		Location: request.Location,
	}
	if account != nil {
		line.Account, line.Login = account.Name, cmp.Or(request.Login, account.Login())
	}
	if resolution := request.ResolvedBy; resolution != nil {
		line.Resolved = decisionOf(resolution.Word, resolution.By)
	}
	if request.Error != nil {
		line.Refusal = &Refusal{HTTPStatus: request.Error.HTTPStatus, Code: request.Error.Code}
	}
	line.describe(request.Changes())
	return line
}

// aboutOf returns the object in the carrier's terms; "" if nothing of it is known there.
func aboutOf(object client.Object) string {
	named, is := object.(interface {
		NamedService() (v1alpha1.CarrierID, *v1alpha1.ServiceReference)
	})
	if !is {
		return v1alpha1.CarrierName(object)
	}
	if number, _ := named.NamedService(); number != "" {
		return "service " + string(number)
	}
	return ""
}

func decisionOf(value, by string) *Decision {
	if value == "" && by == "" {
		return nil
	}
	return &Decision{Value: value, By: by}
}

// describe adds what the request changes, and its price.
func (l *Line) describe(changes []v1alpha1.Change) {
	for _, change := range changes {
		l.Changes = append(l.Changes, Change{Field: change.Field, From: change.From, To: change.To})
	}
	bill := decide.BillOf(changes)
	if price, known := bill.Price(); known {
		l.Price = &price
	}
}

// Log writes lines.
type Log struct {
	mu  sync.Mutex
	out io.Writer
}

// NewLog returns a log that writes to out; nil if out is nil.
func NewLog(out io.Writer) *Log {
	if out == nil {
		return nil
	}
	return &Log{out: out}
}

// Write writes a line.
func (l *Log) Write(line Line) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write the audit line of attempt %s: %w", line.Attempt, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write the audit line of attempt %s: %w", line.Attempt, err)
	}
	return nil
}
