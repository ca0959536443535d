// SPDX-License-Identifier: Apache-2.0

// Package requestlog writes a line of JSON for each phase of each request that a RequestLedger
// records. A ledger keeps ten requests and Events last an hour, so these lines are what an auditor
// keeps. docs/requestlog.md describes them, and docs/requestlog.schema.json is their schema.
package requestlog

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"

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

// Log writes lines about the changes of ledgers that the cache of the leader shows. So no request
// waits for the log, and everything that is recorded gets a line, whatever its cause.
type Log struct {
	Ledgers cache.Informers
	Lost    func() // called for each line that is lost

	out     io.Writer
	now     func() time.Time
	manages func(*v1alpha1.RequestLedger) bool
	lines   chan []byte
	failing atomic.Bool // whether the last line was lost
}

var _ toolscache.ResourceEventHandler = (*Log)(nil)

// mostWaiting is the maximum number of lines that wait for a slow output.
const mostWaiting = 10_000

// repeatedAfterStart is how far back a new leader writes lines again. The former leader may have
// ended between a record and its line.
const repeatedAfterStart = time.Hour

// New returns a log that writes to out about the ledgers that a manager manages.
func New(out io.Writer, now func() time.Time, manages func(*v1alpha1.RequestLedger) bool) *Log {
	return &Log{out: out, now: now, manages: manages, lines: make(chan []byte, mostWaiting)}
}

// Start writes lines while this process leads. It does not wait for a blocked output.
func (l *Log) Start(ctx context.Context) error {
	informer, err := l.Ledgers.GetInformer(ctx, &v1alpha1.RequestLedger{})
	if err != nil {
		return fmt.Errorf("watch RequestLedgers for the request log: %w", err)
	}
	registration, err := informer.AddEventHandler(l)
	if err != nil {
		return fmt.Errorf("watch RequestLedgers for the request log: %w", err)
	}
	go l.write(ctx)
	<-ctx.Done()
	if err = informer.RemoveEventHandler(registration); err != nil {
		return fmt.Errorf("end the watch of RequestLedgers for the request log: %w", err)
	}
	return nil
}

// write writes the lines that wait.
func (l *Log) write(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case line := <-l.lines:
			if _, err := l.out.Write(line); err != nil {
				l.lose(err)
			} else {
				l.failing.Store(false)
			}
		}
	}
}

// errSlow is why a line is lost if the queue is full.
var errSlow = fmt.Errorf("%d lines wait for standard output", mostWaiting)

// lose counts a line that is lost. The log says so once, until a line is written again.
func (l *Log) lose(cause error) {
	l.Lost()
	if !l.failing.Swap(true) {
		ctrl.Log.Error(cause, "lines of the request log are lost")
	}
}

// OnAdd writes lines about a new ledger. If the ledger existed before this manager became the
// leader, only attempts that are open or have just ended are written.
func (l *Log) OnAdd(object any, existed bool) { //nolint:revive // the interface has the flag
	since := time.Time{}
	if existed {
		since = l.now().Add(-repeatedAfterStart)
	}
	l.put(nil, object, since)
}

// OnUpdate writes lines about what has changed in a ledger.
func (l *Log) OnUpdate(before, after any) {
	if ledger, is := before.(*v1alpha1.RequestLedger); is {
		l.put(ledger, after, time.Time{})
	}
}

// OnDelete does nothing: a deleted ledger has no new phase.
func (*Log) OnDelete(any) {}

// put queues a line for each new phase of an attempt that is open, or has ended since a time.
func (l *Log) put(before *v1alpha1.RequestLedger, object any, since time.Time) {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || !l.manages(ledger) {
		return
	}
	for _, attempt := range news(before, ledger) {
		if !attempt.FinishedAt.IsZero() && attempt.FinishedAt.Time.Before(since) {
			continue
		}
		text, err := json.Marshal(lineOf(ledger, &attempt, l.now()))
		if err != nil {
			ctrl.Log.Error(err, "cannot write a line of the request log", "attempt", attempt.AttemptID)
			continue
		}
		select {
		case l.lines <- append(text, '\n'):
		default:
			l.lose(errSlow)
		}
	}
}

// news returns the attempts of a ledger that are new or changed since the version before; nil: all.
func news(before, after *v1alpha1.RequestLedger) []v1alpha1.EndedAttempt {
	if before == nil {
		return after.Summaries()
	}
	known := before.Summaries()
	return slices.DeleteFunc(after.Summaries(), func(attempt v1alpha1.EndedAttempt) bool {
		return slices.ContainsFunc(known, func(one v1alpha1.EndedAttempt) bool { return sameNews(&one, &attempt) })
	})
}

// sameNews reports whether two lines would say the same about an attempt.
func sameNews(one, other *v1alpha1.EndedAttempt) bool {
	return one.AttemptID == other.AttemptID && one.Outcome == other.Outcome && one.EndedBy == other.EndedBy &&
		one.Location == other.Location && (one.ResolvedBy == nil) == (other.ResolvedBy == nil)
}
