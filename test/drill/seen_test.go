// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// call is one call of a manager in progress.
type call struct {
	by           *manager // nil on the connection to the carrier, which all managers of a lane share
	method, path string
	body         string // of writing calls
	watches      bool   // whether it has no end
}

func (c call) toCarrier() bool { return c.by == nil }

// ofRecord returns the object whose attempts a call records: in its status or, for an order, a
// service or a test, in its ledger; "" for any other call.
func (c call) ofRecord() string {
	folder, last := path.Split(c.path)
	switch {
	case c.toCarrier():
		return ""
	case strings.Contains(c.path, "/requestledgers"):
		var ledger v1alpha1.RequestLedger
		if json.Unmarshal([]byte(c.body), &ledger) != nil {
			return ""
		}
		if of := ledger.Spec.Diagnostics; of != nil {
			return testsOf(string(of.ID)) // no object holds it
		}
		return ledger.Spec.Holder.Name
	case c.method != http.MethodPut || last != "status", strings.Contains(c.path, "/serviceorders/"),
		strings.Contains(c.path, "/broadbandservices/"), strings.Contains(c.path, "/diagnostictests/"):
		return ""
	}
	return path.Base(folder)
}

// testsOf returns a name for the tests of a service. Each service has one test here.
func testsOf(service string) string { return "tests of " + service }

// takesLease reports whether a call takes the lease. The last writer of the lease leads, unless it
// releases it. A leader that was stopped may do so when another leads already.
func (c call) takesLease() bool {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(c.body), nil, nil)
	lease, is := object.(*coordinationv1.Lease)
	return err == nil && is && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != ""
}

// resolves reports whether a call writes the outcome of a request. A write without a request
// resolves none, and an unknown outcome written by one manager resolves nothing for the other,
// which may know better while it runs.
func (c call) resolves() bool {
	return c.ofRecord() != "" && strings.Contains(c.body, `"phase":"`) &&
		!c.puts(v1alpha1.PhaseSubmitting) && !c.puts(v1alpha1.PhaseOutcomeUnknown)
}

// puts reports whether a call writes a request in a phase.
func (c call) puts(phase v1alpha1.RequestPhase) bool {
	return strings.Contains(c.body, `"phase":"`+string(phase)+`"`)
}

// acceptance is a POST that the carrier has answered with a Location.
type acceptance struct{ submission, location string }

// counts are counts of the calls on both connections.
type counts struct {
	posts      int // to the carrier
	conflicts  int // writes that met another's write
	notSent    int // attempts given up between intent and POST
	unanswered int // calls without a response
	failed     int // calls that were answered 500 or above
	watches    int // watches started
}

func (c counts) plus(other counts) counts {
	return counts{
		posts: c.posts + other.posts, conflicts: c.conflicts + other.conflicts, notSent: c.notSent + other.notSent,
		unanswered: c.unanswered + other.unanswered, failed: c.failed + other.failed, watches: c.watches + other.watches,
	}
}

// seen is a record of the calls.
type seen struct {
	counts

	sent     []call // POSTs that were forwarded to the carrier, which may have accepted them
	accepted []acceptance
	open     map[string][]*manager // which managers may have written an intent for an object that has no outcome yet
	left     map[string]bool       // those of the objects whose process has ended
	senders  map[string]*manager   // which manager has a recorded intent, by object
	leader   *manager              // which manager wrote the lease last
}

// goes notes an outgoing call. From now on an intent may be recorded, whether or not anyone gets
// the response.
func (s *seen) goes(passing call) {
	switch object := passing.ofRecord(); {
	case passing.toCarrier() && passing.method == http.MethodPost:
		s.posts++
	case passing.watches:
		s.watches++
	case object != "" && passing.puts(v1alpha1.PhaseSubmitting):
		s.open[object] = append(s.open[object], passing.by)
	}
}

// send notes a POST that was forwarded to the carrier, unless the response says that it was not
// processed. The carrier's journal may be lost with it, but not this record.
func (s *seen) send(passing call, answer *http.Response) {
	turnedAway := answer != nil &&
		(answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusTooManyRequests)
	if passing.toCarrier() && passing.method == http.MethodPost && !turnedAway {
		s.sent = append(s.sent, passing)
	}
}

// comes notes a response.
func (s *seen) comes(passing call, answer *http.Response) {
	switch {
	case answer.StatusCode == http.StatusConflict:
		s.conflicts++
	case answer.StatusCode >= http.StatusInternalServerError:
		s.failed++
	case answer.StatusCode < http.StatusMultipleChoices:
		s.succeeds(passing, answer)
	}
}

// succeeds notes a successful call.
func (s *seen) succeeds(passing call, answer *http.Response) {
	switch object := passing.ofRecord(); {
	case passing.toCarrier():
		s.follow(passing, answer.Header.Get("Location"))
	case strings.Contains(passing.path, "/leases") && passing.takesLease():
		s.leader = passing.by
	case object != "" && passing.puts(v1alpha1.PhaseSubmitting):
		s.senders[object] = passing.by
	case passing.resolves():
		if len(s.open[object]) > 0 && passing.puts(v1alpha1.PhaseNotSent) {
			s.notSent++
		}
		delete(s.open, object)
	}
}

// follow keeps the Location at which a submission is polled.
func (s *seen) follow(passing call, location string) {
	where, err := url.Parse(location)
	if passing.method != http.MethodPost || err != nil || where.Path == "" {
		return
	}
	s.accepted = append(s.accepted, acceptance{passing.path + passing.body, where.Path})
}

func (s *seen) leaveBehind(ended *manager) {
	for object, writers := range s.open {
		s.left[object] = s.left[object] || slices.Contains(writers, ended)
	}
}
