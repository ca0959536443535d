// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// result is what a run has measured.
type result struct {
	scenario   string
	contestant string
	changes    int
	took       time.Duration   // from the first edit until the last service was ready
	posted     []time.Duration // from each edit to its POST, in the order of the edits
	done       []time.Duration // from the first edit until each service was ready
	traffic    traffic
	writes     map[string]int // of the contestant, by "verb resource"; Events, Leases and refused ones apart
	events     int
	refused    int   // writes that the API server refused, most of them conflicts
	own        usage // of the contestant
	plane      usage // of etcd and kube-apiserver
}

func (u *usage) add(more usage) { u.seconds, u.most = u.seconds+more.seconds, max(u.most, more.most) }

// traffic is what the journal of the carrier shows.
type traffic struct {
	posts    map[simulator.Operation]int // POSTs that arrived
	polls    map[simulator.Operation]int
	posted   map[int64]time.Time // the first POST of a plan change, by service
	carried  map[int64]int       // plan changes that the carrier carried out, by service
	lastLost time.Time           // when the last response was lost
	lateness map[simulator.Operation][]time.Duration
	refused  int // calls that were refused
}

// loginCheck is the free read with which the operator checks a new token.
const loginCheck = simulator.OpReclaim

// trafficOf counts the calls of a journal, without logins.
func trafficOf(calls []simulator.Call, of times) traffic {
	t := traffic{
		posts: make(map[simulator.Operation]int), polls: make(map[simulator.Operation]int),
		posted: map[int64]time.Time{}, carried: map[int64]int{},
		lateness: make(map[simulator.Operation][]time.Duration),
	}
	doneAt := map[string]time.Time{} // by request; removed once its result was read
	for i := range calls {
		call := &calls[i]
		switch {
		case call.Operation == simulator.OpToken || call.Operation == loginCheck:
		case call.Method == http.MethodPost:
			t.post(call)
			if call.Accepted {
				doneAt[call.RequestID] = call.Time.Add(of.of(call.Operation, call.ServiceID))
			}
		default:
			t.polls[call.Operation]++
			at, open := doneAt[call.RequestID]
			if open && call.Status == http.StatusOK {
				t.lateness[call.Operation] = append(t.lateness[call.Operation], call.Time.Sub(at))
				delete(doneAt, call.RequestID)
			}
		}
	}
	return t
}

func (t *traffic) post(call *simulator.Call) {
	t.posts[call.Operation]++
	if call.Status >= http.StatusBadRequest {
		t.refused++
	}
	if call.Operation != simulator.OpPlanChange {
		return
	}
	if _, known := t.posted[call.ServiceID]; !known {
		t.posted[call.ServiceID] = call.Time
	}
	if call.Accepted {
		t.carried[call.ServiceID]++
	}
	if call.Status == 0 {
		t.lastLost = call.Time
	}
}

// calls counts all calls but logins.
func (t *traffic) calls() int { return sum(t.posts) + sum(t.polls) }

// duplicates counts the plan changes that the carrier carried out although it had done so before.
func (t *traffic) duplicates() int {
	count := 0
	for _, carried := range t.carried {
		count += max(0, carried-1)
	}
	return count
}

func sum[K comparable](counts map[K]int) int {
	all := 0
	for _, count := range counts {
		all += count
	}
	return all
}

// snapshot is what has happened before the measurement.
type snapshot struct {
	calls      int
	writes     map[string]int
	refused    int
	own, plane usage
}

// begin begins the measurement, once what the preparation has caused is done.
func (l *lane) begin(ctx context.Context) error {
	if err := pause(ctx, settles); err != nil {
		return err
	}
	calls, err := l.calls(ctx)
	if err != nil {
		return err
	}
	l.before.calls = len(calls)
	l.before.writes, l.before.refused = l.audited()
	var ownErr, planeErr error
	l.before.own, ownErr = l.changing.usage()
	l.before.plane, planeErr = planeUsage()
	return errors.Join(ownErr, planeErr)
}

// audited counts the writes of the contestant, in its namespace and outside of namespaces, and those
// that were refused. A dry run writes nothing.
func (l *lane) audited() (writes map[string]int, refused int) {
	writes = map[string]int{}
	for _, namespace := range []string{l.world.Namespace, ""} {
		tally := l.audit.Tally(l.contestant, namespace)
		for action, count := range tally.Done {
			writes[action] += count
		}
		refused += sum(tally.Failed)
	}
	for action, count := range l.audit.Actions(l.contestant) {
		if written, dry := strings.CutSuffix(action, " (dry run)"); dry {
			writes[written] -= count
		}
	}
	return writes, refused
}

// settles is how long the last Events and lines of the audit log may take.
const settles = 2 * time.Second

// end ends the measurement of a range of services.
func (l *lane) end(from, to int) step {
	return func(ctx context.Context) error {
		if err := pause(ctx, settles); err != nil {
			return err
		}
		calls, callsErr := l.calls(ctx)
		own, ownErr := l.changing.usage()
		plane, planeErr := planeUsage()
		if err := errors.Join(callsErr, ownErr, planeErr); err != nil {
			return err
		}
		r := &l.result
		r.scenario, r.contestant, r.changes = l.Name, l.contestant, to-from
		r.traffic = trafficOf(calls[l.before.calls:], l.times)
		r.own.add(own)
		r.own.seconds -= l.before.own.seconds
		r.plane = usage{plane.seconds - l.before.plane.seconds, plane.most}
		r.countWrites(l)
		l.durations(from, to)
		return nil
	}
}

func (r *result) countWrites(l *lane) {
	r.writes = map[string]int{}
	writes, refused := l.audited()
	r.refused = refused - l.before.refused
	for action, count := range writes {
		count -= l.before.writes[action]
		switch {
		case count == 0 || strings.HasSuffix(action, " leases"):
		case strings.HasSuffix(action, " events"):
			r.events += count
		default:
			r.writes[action] = count
		}
	}
}

// durations computes how long the changes of a range of services took.
func (l *lane) durations(from, to int) {
	var first time.Time
	for number := from; number < to; number++ {
		if at := l.editedAt[number]; first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for number := from; number < to; number++ {
		if posted, sent := l.result.traffic.posted[l.first+int64(number)]; sent {
			l.result.posted = append(l.result.posted, posted.Sub(l.editedAt[number]))
		}
		if ready := l.watcher.readyAt(goal{name(number), edited}); !ready.IsZero() {
			l.result.done = append(l.result.done, ready.Sub(first))
			l.result.took = max(l.result.took, ready.Sub(first))
		}
	}
}

// calls returns the carrier's journal.
func (l *lane) calls(ctx context.Context) ([]simulator.Call, error) {
	var calls []simulator.Call
	err := l.management(ctx, http.MethodGet, "/_sim/calls", nil, &calls)
	return calls, err
}

// management makes a call of the carrier's management, with a body and a response that may be nil.
func (l *lane) management(ctx context.Context, method, path string, body, into any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode a call of the management: %w", err)
	}
	address := "http://" + l.manage + path
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content)) //nolint:gosec // as below
	if err != nil {
		return fmt.Errorf("call the management: %w", err)
	}
	web := &http.Client{Timeout: time.Minute}
	response, err := web.Do(request) //nolint:gosec // the carrier of this run
	if err != nil {
		return fmt.Errorf("call the management: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	if into == nil {
		return nil
	}
	if err = json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("read the response of %s: %w", path, err)
	}
	return nil
}
