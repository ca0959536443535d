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
	OpenRequests() []*v1alpha1.Request
}

// errand is one change: an object that needs one request.
type errand struct {
	sort   *sort
	object subject
	mark   string // the subject of its submissions, as in their bodies

	deleted time.Time // when its object was deleted; zero: never
}

// sort is what the errands of an operation have in common.
type sort struct {
	name      string
	operation carrier.Operation
	ntdOption bool
	effects   []effect
	declare   func(l *lane, name string) (object subject, mark string)
	provoke   func(ctx SpecContext, l *lane, e *errand) // causes the request; nil: the declaration does
}

// effect is one action of a manager for an errand.
type effect struct {
	name string
	is   func(so *seen, e *errand, passing call) bool
}

// The effects that most errands have.
const (
	effectIntent    = "intent"
	effectFinalizer = "finalizer"
	effectPOST      = "POST"
	effectAccepted  = "accepted"
	effectPoll      = "poll"
	effectEnded     = "ended"
)

// class returns the rule for an unknown outcome of the request.
func (s *sort) class() carrier.RepeatClass {
	contract, _ := carrier.ContractOf(s.operation)
	return contract.RepeatClass(s.ntdOption)
}

// once reports whether the request may be sent at most once, because it costs money or disturbs a
// customer.
func (s *sort) once() bool { return s.most() == 1 }

// mayBe returns the endings of an errand, besides success, that are allowed if its process has left
// it with an intent and no outcome.
func (s *sort) mayBe() []ending {
	switch s.class() {
	case carrier.ClassCharge:
		return []ending{proving, unknown}
	case carrier.ClassNever:
		return []ending{unknown}
	case carrier.ClassConverge:
		return []ending{again}
	case carrier.ClassVerify, carrier.ClassQuery:
	}
	return nil
}

// most returns how often a request that has succeeded may have been submitted.
func (s *sort) most() int {
	switch s.class() {
	case carrier.ClassCharge, carrier.ClassNever:
		return 1
	case carrier.ClassVerify, carrier.ClassConverge:
		return 1 + 2 // "at most two declared repeats"
	case carrier.ClassQuery:
		return 1 + 6 // it costs nothing, and only has to be bounded
	}
	return 0
}

// submissions returns how often an errand's request was sent, as counted by the gate, and carried
// out, as counted by the carrier.
func (l *lane) submissions(e *errand) (count simulator.Count, err error) {
	if e.sort.operation == carrier.AppointmentCancel {
		count, err = l.givenUp(e)
	} else {
		count, err = l.carrier.SubmissionsAbout(simulator.Operation(e.sort.operation), e.mark)
	}
	count.Seen = l.gate.sent(e)
	return count, err
}

// givenUp counts the cancellations of an appointment-request: they have no subject.
func (l *lane) givenUp(e *errand) (count simulator.Count, err error) {
	calls, err := l.carrier.Calls()
	for _, call := range calls {
		if call.Operation == simulator.OpAppointmentCancel && call.RequestID == e.mark && call.Accepted {
			count.Processed++
		}
	}
	return count, err
}

// recordedAs returns the name of what an errand's attempts are recorded for.
func (e *errand) recordedAs() string {
	if e.sort.operation == carrier.DiagnosticTest {
		return testsOf(e.mark)
	}
	return e.object.GetName()
}

// sent counts how often an errand's request was forwarded to the carrier.
func (g *gate) sent(e *errand) (times int) {
	g.note(func(s *seen) {
		for _, passing := range s.sent {
			if submissionOf(e.sort.operation, passing) && strings.Contains(passing.body, e.mark) {
				times++
			}
		}
	})
	return times
}

func submissionOf(operation carrier.Operation, passing call) bool {
	contract, _ := carrier.ContractOf(operation)
	return passing.toCarrier() && passing.method == http.MethodPost && passing.path == contract.SubmitPath
}

// posts is the effect of sending the request itself, or another about the same subject, to the
// carrier.
func posts(name string, operation carrier.Operation) effect {
	return effect{name, func(_ *seen, e *errand, passing call) bool {
		return submissionOf(operation, passing) && strings.Contains(passing.body, e.mark)
	}}
}

// asks is the effect of polling the carrier for the result of the request.
func asks(operation carrier.Operation) effect {
	contract, _ := carrier.ContractOf(operation)
	return effect{effectPoll, func(so *seen, e *errand, passing call) bool {
		if !passing.toCarrier() || passing.method != http.MethodGet {
			return false
		}
		for _, accepted := range so.accepted {
			if strings.HasPrefix(accepted.submission, contract.SubmitPath) &&
				strings.Contains(accepted.submission, e.mark) && accepted.location == passing.path {
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
	return effect{name, func(_ *seen, e *errand, passing call) bool {
		status := strings.HasSuffix(passing.path, "/"+e.object.GetName()+"/status")
		ledger := strings.Contains(passing.path, "/requestledgers") && strings.Contains(passing.body, e.mark)
		writes := passing.method == http.MethodPut || passing.method == http.MethodPost
		return writes && (status || ledger) && strings.Contains(passing.body, `"operation":"`+string(operation)+`"`) &&
			strings.Contains(passing.body, `"phase":"`+string(phase)+`"`)
	}}
}

// holds is the effect of adding the finalizer.
func holds() effect {
	return effect{effectFinalizer, func(_ *seen, e *errand, passing call) bool {
		return passing.method == http.MethodPatch && strings.HasSuffix(passing.path, "/"+e.object.GetName())
	}}
}

// ledgers is the effect of writing an order's intent or outcome to its ledger.
func ledgers(name, method string) effect {
	return effect{name, func(_ *seen, e *errand, passing call) bool {
		return passing.method == method && strings.Contains(passing.path, "/requestledgers") &&
			strings.Contains(passing.body, e.mark)
	}}
}

// modified returns the effects of a request that changes something and is tracked.
func modified(operation carrier.Operation) []effect {
	return []effect{
		intended(operation), posts(effectPOST, operation), accepted(operation), asks(operation), ended(operation),
	}
}

// tested returns the effects of a request whose object gets the finalizer before it is sent.
func tested(operation carrier.Operation) []effect {
	return slices.Insert(modified(operation), 1, holds())
}

// answered returns the effects of a query that is tracked.
func answered(operation carrier.Operation) []effect {
	return []effect{posts(effectPOST, operation), accepted(operation), asks(operation), ended(operation)}
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

// provokeCancel has an appointment-request cancelled by deleting it once it has its slots.
func provokeCancel(ctx SpecContext, l *lane, e *errand) {
	GinkgoHelper()
	l.soon(ctx, func(g Gomega) {
		appointment := l.ReadAppointment(ctx, e.object.GetName())
		g.Expect(appointment.Status.AppointmentRequestID).NotTo(BeZero())
		l.gate.note(func(*seen) { // a failpoint reads the mark
			e.mark = string(appointment.Status.AppointmentRequestID)
		})
	})
	e.deleted = realTime()
	Expect(l.Delete(ctx, e.object)).To(Succeed())
}
