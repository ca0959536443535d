// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// subject is an object with requests in its status.
type subject interface {
	client.Object
	v1alpha1.Described
	Record() v1alpha1.Record
}

// change is one change: an object that needs one request.
type change struct {
	kind   *kind
	object subject
	mark   string // the subject of its submissions, as in their bodies

	deleted time.Time // when its object was deleted; zero: never
}

// kind is what the changes of an operation have in common.
type kind struct {
	name      string
	operation carrier.Operation
	ntdOption bool
	effects   []effect
	declare   func(l *lane, name string) (object subject, mark string)
	trigger   func(ctx SpecContext, l *lane, e *change) // causes the request; nil: the declaration does
}

// effect is one action of a manager for a change.
type effect struct {
	name string
	is   func(so *record, e *change, passing apiCall) bool
}

// The effects that most changes have.
const (
	effectIntent    = "intent"
	effectFinalizer = "finalizer"
	effectPOST      = "POST"
	effectAccepted  = "accepted"
	effectPoll      = "poll"
	effectEnded     = "ended"
)

// class returns the rule for an unknown outcome of the request.
func (s *kind) class() carrier.RepeatClass {
	contract, _ := carrier.ContractOf(s.operation)
	return contract.RepeatClass(s.ntdOption)
}

// isSentOnce reports whether the request may be sent at most once, because it costs money or
// disturbs a customer.
func (s *kind) isSentOnce() bool { return s.maxSubmissions() == 1 }

// allowedEndings returns the endings of a change, besides success, that are allowed if its process
// has left it with an intent and no outcome.
func (s *kind) allowedEndings() []ending {
	switch s.class() {
	case carrier.ClassCharge:
		return []ending{toProve, unknown}
	case carrier.ClassNever:
		return []ending{unknown}
	case carrier.ClassConverge:
		return []ending{toRepeat}
	case carrier.ClassVerify, carrier.ClassQuery:
	}
	return nil
}

// maxSubmissions returns how often a request that has succeeded may have been submitted.
func (s *kind) maxSubmissions() int {
	switch s.class() {
	case carrier.ClassCharge, carrier.ClassNever:
		return 1
	case carrier.ClassVerify, carrier.ClassConverge:
		return 1 + 2 // two repeats
	case carrier.ClassQuery:
		return 1 + 6 // it costs nothing, and only has to be bounded
	}
	return 0
}

// submissions returns how often a change's request was sent, as counted by the proxy, and carried
// out, as counted by the carrier.
func (l *lane) submissions(e *change) (count simulator.Count, err error) {
	if e.kind.operation == carrier.AppointmentCancel {
		count, err = l.cancellations(e)
	} else {
		count, err = l.carrier.SubmissionsAbout(simulator.Operation(e.kind.operation), e.mark)
	}
	count.Seen = l.proxy.sent(e)
	return count, err
}

// cancellations counts the cancellations of an appointment-request, which have no subject.
func (l *lane) cancellations(e *change) (count simulator.Count, err error) {
	calls, err := l.carrier.Calls()
	for _, call := range calls {
		if call.Operation == simulator.OpAppointmentCancel && call.RequestID == e.mark && call.Accepted {
			count.Processed++
		}
	}
	return count, err
}

// recordName returns the name of what a change's attempts are recorded for.
func (e *change) recordName() string {
	if e.kind.operation == carrier.DiagnosticTest {
		return testsOf(e.mark)
	}
	return e.object.GetName()
}

// sent counts how often a change's request was forwarded to the carrier.
func (g *proxy) sent(e *change) (times int) {
	g.update(func(s *record) {
		for _, call := range s.sent {
			if submissionOf(e.kind.operation, call) && strings.Contains(call.body, e.mark) {
				times++
			}
		}
	})
	return times
}

func submissionOf(operation carrier.Operation, call apiCall) bool {
	contract, _ := carrier.ContractOf(operation)
	return call.toCarrier() && call.method == http.MethodPost && call.path == contract.SubmitPath
}

// posts is the effect of sending the request itself, or another about the same subject, to the
// carrier.
func posts(name string, operation carrier.Operation) effect {
	return effect{name, func(_ *record, e *change, call apiCall) bool {
		return submissionOf(operation, call) && strings.Contains(call.body, e.mark)
	}}
}

// polls is the effect of polling the carrier for the result of the request.
func polls(operation carrier.Operation) effect {
	contract, _ := carrier.ContractOf(operation)
	return effect{effectPoll, func(so *record, e *change, call apiCall) bool {
		if !call.toCarrier() || call.method != http.MethodGet {
			return false
		}
		for _, accepted := range so.accepted {
			if strings.HasPrefix(accepted.submission, contract.SubmitPath) &&
				strings.Contains(accepted.submission, e.mark) && accepted.location == call.path {
				return true
			}
		}
		return false
	}}
}

func intended(of carrier.Operation) effect {
	return records(effectIntent, of, v1alpha1.PhaseSubmitting)
}

func accepted(of carrier.Operation) effect {
	return records(effectAccepted, of, v1alpha1.PhaseInProgress)
}

func ended(of carrier.Operation) effect { return records(effectEnded, of, v1alpha1.PhaseSucceeded) }

// records is the effect of writing the request in a phase to the status or the ledger.
func records(name string, operation carrier.Operation, phase v1alpha1.RequestPhase) effect {
	return effect{name, func(_ *record, e *change, call apiCall) bool {
		status := strings.HasSuffix(call.path, "/"+e.object.GetName()+"/status")
		ledger := strings.Contains(call.path, "/requestledgers") && strings.Contains(call.body, e.mark)
		writes := call.method == http.MethodPut || call.method == http.MethodPost
		return writes && (status || ledger) && strings.Contains(call.body, `"operation":"`+string(operation)+`"`) &&
			strings.Contains(call.body, `"phase":"`+string(phase)+`"`)
	}}
}

// holds is the effect of adding the finalizer.
func holds() effect {
	return effect{effectFinalizer, func(_ *record, e *change, call apiCall) bool {
		return call.method == http.MethodPatch && strings.HasSuffix(call.path, "/"+e.object.GetName())
	}}
}

// ledgers is the effect of writing an order's intent or outcome to its ledger.
func ledgers(name, method string) effect {
	return effect{name, func(_ *record, e *change, call apiCall) bool {
		return call.method == method && strings.Contains(call.path, "/requestledgers") &&
			strings.Contains(call.body, e.mark)
	}}
}

// modified returns the effects of a request that changes something and is tracked.
func modified(operation carrier.Operation) []effect {
	return []effect{
		intended(operation), posts(effectPOST, operation), accepted(operation), polls(operation), ended(operation),
	}
}

// tested returns the effects of a request whose object gets the finalizer before it is sent.
func tested(operation carrier.Operation) []effect {
	return slices.Insert(modified(operation), 1, holds())
}

// tracked returns the effects of a query that is tracked.
func tracked(operation carrier.Operation) []effect {
	return []effect{posts(effectPOST, operation), accepted(operation), polls(operation), ended(operation)}
}

// serviceFor declares a service of a line with only the edited fields.
func serviceFor(
	line func(*simulator.Service), edit func(*v1alpha1.BroadbandServiceSpec),
) func(*lane, string) (subject, string) {
	return func(l *lane, name string) (subject, string) {
		id := l.Line(line)
		return l.Service(name, id, func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan = nil
			edit(&s.Spec)
		}), strconv.FormatInt(id, 10)
	}
}

// triggerCancel has an appointment-request cancelled by deleting it once it has its slots.
func triggerCancel(ctx SpecContext, l *lane, e *change) {
	GinkgoHelper()
	l.eventually(ctx, func(g Gomega) {
		appointment := l.ReadAppointment(ctx, e.object.GetName())
		g.Expect(appointment.Status.AppointmentRequestID).NotTo(BeZero())
		l.proxy.update(func(*record) { // a failpoint reads the mark
			e.mark = string(appointment.Status.AppointmentRequestID)
		})
	})
	e.deleted = realTime()
	Expect(l.Delete(ctx, e.object)).To(Succeed())
}
