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

// apiCall is one call of a manager in progress.
type apiCall struct {
	by           *manager // nil on the connection to the carrier, which all managers of a lane share
	method, path string
	body         string // of writing calls
	watches      bool   // whether it has no end
}

func (c apiCall) toCarrier() bool { return c.by == nil }

// recordedObject returns the object whose attempts a call records: in its status or, for an order,
// a service or a test, in its ledger; "" for any other call.
func (c apiCall) recordedObject() string {
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

// takesLease reports whether a call takes the lease. The last manager to take it leads. A write
// that releases it does not count, because a leader that was stopped may release the lease when
// another already leads.
func (c apiCall) takesLease() bool {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(c.body), nil, nil)
	lease, is := object.(*coordinationv1.Lease)
	return err == nil && is && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != ""
}

// recordsOutcome reports whether a call writes the outcome of a request. A write without a request
// resolves none, and an unknown outcome written by one manager resolves nothing for the other,
// which may still know the outcome while it runs.
func (c apiCall) recordsOutcome() bool {
	return c.recordedObject() != "" && strings.Contains(c.body, `"phase":"`) &&
		!c.writesPhase(v1alpha1.PhaseSubmitting) && !c.writesPhase(v1alpha1.PhaseOutcomeUnknown)
}

// writesPhase reports whether a call writes a request in a phase.
func (c apiCall) writesPhase(phase v1alpha1.RequestPhase) bool {
	return strings.Contains(c.body, `"phase":"`+string(phase)+`"`)
}

// acceptance is a POST to which the carrier has responded with a Location.
type acceptance struct{ submission, location string }

// counts are counts of the calls on both connections.
type counts struct {
	posts      int // to the carrier
	conflicts  int // writes that met another's write
	notSent    int // attempts given up between intent and POST
	unanswered int // calls without a response
	failed     int // calls that got 500 or above
	watches    int // watches started
}

func (c counts) plus(other counts) counts {
	return counts{
		posts: c.posts + other.posts, conflicts: c.conflicts + other.conflicts, notSent: c.notSent + other.notSent,
		unanswered: c.unanswered + other.unanswered, failed: c.failed + other.failed, watches: c.watches + other.watches,
	}
}

// record is a record of the calls.
type record struct {
	counts

	sent     []apiCall // POSTs that were forwarded to the carrier, which may have accepted them
	accepted []acceptance
	open     map[string][]*manager // by object: who may have written an intent without an outcome yet
	left     map[string]bool       // the objects for which such a manager has ended
	senders  map[string]*manager   // which manager has a recorded intent, by object
	leader   *manager              // which manager wrote the lease last
}

// noteCall notes an outgoing call. From now on an intent may be recorded, whether or not anyone
// gets the response.
func (s *record) noteCall(call apiCall) {
	switch object := call.recordedObject(); {
	case call.toCarrier() && call.method == http.MethodPost:
		s.posts++
	case call.watches:
		s.watches++
	case object != "" && call.writesPhase(v1alpha1.PhaseSubmitting):
		s.open[object] = append(s.open[object], call.by)
	}
}

// notePost notes a POST that was forwarded to the carrier, unless the response says that it was not
// processed. The carrier may lose its journal, and the POST with it, but this record is kept.
func (s *record) notePost(call apiCall, response *http.Response) {
	turnedAway := response != nil &&
		(response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusTooManyRequests)
	if call.toCarrier() && call.method == http.MethodPost && !turnedAway {
		s.sent = append(s.sent, call)
	}
}

// noteResponse notes a response.
func (s *record) noteResponse(call apiCall, response *http.Response) {
	switch {
	case response.StatusCode == http.StatusConflict:
		s.conflicts++
	case response.StatusCode >= http.StatusInternalServerError:
		s.failed++
	case response.StatusCode < http.StatusMultipleChoices:
		s.noteSuccess(call, response)
	}
}

// noteSuccess notes a successful call.
func (s *record) noteSuccess(call apiCall, response *http.Response) {
	switch object := call.recordedObject(); {
	case call.toCarrier():
		s.noteLocation(call, response.Header.Get("Location"))
	case strings.Contains(call.path, "/leases") && call.takesLease():
		s.leader = call.by
	case object != "" && call.writesPhase(v1alpha1.PhaseSubmitting):
		s.senders[object] = call.by
	case call.recordsOutcome():
		if len(s.open[object]) > 0 && call.writesPhase(v1alpha1.PhaseNotSent) {
			s.notSent++
		}
		delete(s.open, object)
	}
}

// noteLocation keeps the Location at which a submission is polled.
func (s *record) noteLocation(call apiCall, location string) {
	where, err := url.Parse(location)
	if call.method != http.MethodPost || err != nil || where.Path == "" {
		return
	}
	s.accepted = append(s.accepted, acceptance{call.path + call.body, where.Path})
}

func (s *record) noteEnded(ended *manager) {
	for object, writers := range s.open {
		s.left[object] = s.left[object] || slices.Contains(writers, ended)
	}
}
