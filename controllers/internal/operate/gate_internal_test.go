// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// closings are what can happen between an intent and its POST, while the finalizer is added.
type closings map[string]func(*tape, context.CancelFunc) error

// run expects that nothing is sent in any of these cases, and that this is recorded.
func (c closings) run(t *testing.T) {
	t.Helper()
	t.Parallel()
	for why, happens := range c {
		ctx, stop := context.WithCancel(t.Context())
		tape := newTape()
		tape.at[stepFinalizer] = func() error { return happens(tape, stop) }
		err := tape.send(ctx)
		if last := tape.steps[len(tape.steps)-1]; err != nil || last != stepNotSent || slices.Contains(tape.steps, stepPOST) {
			t.Errorf("%s: %v after %v", why, err, tape.steps)
		}
		stop()
	}
}

func TestAClosedGateSendsNothing(t *testing.T) {
	closings{
		"the finalizer cannot be put on": func(*tape, context.CancelFunc) error { return errStep },
		"the process is stopping":        func(_ *tape, stop context.CancelFunc) error { stop(); return nil },
	}.run(t)
}

func TestR12AnAccountThatHasChangedSendsNothing(t *testing.T) {
	closings{
		"the account is closed": func(t *tape, _ context.CancelFunc) error {
			t.account.Generation++
			return nil
		},
		"the account is another of the same name": func(t *tape, _ context.CancelFunc) error {
			t.account.UID = "another"
			return nil
		},
		"the account is being deleted": func(t *tape, _ context.CancelFunc) error {
			t.account.DeletionTimestamp = &metav1.Time{Time: t.now}
			return nil
		},
		"the account cannot be read": func(t *tape, _ context.CancelFunc) error {
			t.at[stepAccount] = func() error { return errStep }
			return nil
		},
	}.run(t)
}

func TestR12AnObjectThatHasChangedSendsNothing(t *testing.T) {
	closings{
		"the object is edited": func(t *tape, _ context.CancelFunc) error {
			t.at[stepObject] = func() error { t.record.Generation++; return nil }
			return nil
		},
		"the object is another of the same name": func(t *tape, _ context.CancelFunc) error {
			t.at[stepObject] = func() error { t.record.UID = "another"; return nil }
			return nil
		},
		"the object is deleted": func(t *tape, _ context.CancelFunc) error {
			t.at[stepObject] = func() error { t.record.DeletionTimestamp = &metav1.Time{Time: t.now}; return nil }
			return nil
		},
		"the object cannot be read": func(t *tape, _ context.CancelFunc) error {
			t.at[stepObject] = func() error { delete(t.at, stepObject); return errStep }
			return nil
		},
		"the approval is removed": func(t *tape, _ context.CancelFunc) error {
			t.at[stepObject] = func() error { t.record.Annotations = nil; return nil }
			return nil
		},
		"the attempt has been abandoned": func(t *tape, _ context.CancelFunc) error {
			t.at[stepObject] = func() error { t.record.Status.Requests[0].Phase = v1alpha1.PhaseAbandoned; return nil }
			return nil
		},
	}.run(t)
}

// A YAML block scalar ends in a line break, and a copied value may contain a space of no width.
func TestAnApprovalCountsWithoutWhatNobodySees(t *testing.T) {
	t.Parallel()
	tape := newTape()
	tape.record.Annotations[v1alpha1.AnnotationApprove] = "\u200bp1\n"
	if err := tape.send(t.Context()); err != nil || !slices.Contains(tape.steps, stepPOST) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

// goodFor is how long an intent is valid (R13).
const goodFor = 10 * time.Second

func TestR13AnIntentThatIsTooOldSendsNothing(t *testing.T) {
	closings{
		"the process was stopped for 10s": func(t *tape, _ context.CancelFunc) error {
			t.passed += goodFor // and the wall clock was set back meanwhile
			t.now = t.now.Add(-time.Hour)
			return nil
		},
		"the machine was suspended for 10s": func(t *tape, _ context.CancelFunc) error {
			t.now = t.now.Add(goodFor) // which the monotonic clock does not count
			return nil
		},
	}.run(t)
}

func TestR13AnIntentIsGoodForTenSeconds(t *testing.T) {
	t.Parallel()
	tape := newTape()
	tape.at[stepFinalizer] = func() error { tape.now = tape.now.Add(goodFor - time.Nanosecond); return nil }
	if err := tape.send(t.Context()); err != nil || !slices.Contains(tape.steps, stepPOST) {
		t.Errorf("%v after %v", err, tape.steps)
	}
}

// dialing is a carrier whose connection takes a while.
type dialing struct {
	*tape

	client *carrier.Client
	takes  func()
}

// Submit sends the request, and the connection takes its time.
func (d dialing) Submit(ctx context.Context, op carrier.Operation, version int, body []byte) carrier.Receipt {
	d.takes()
	sent := carrier.PlanChangeRequest{ServiceID: 1, PlanName: "Fast", Term: 12}.Body()
	if receipt := d.client.Submit(ctx, op, version, sent); receipt.Delivery == carrier.NotSent {
		return receipt
	}
	return d.tape.Submit(ctx, op, version, body)
}

// tokens is a token source that always has a token.
type tokens struct{}

func (tokens) Token(context.Context) (carrier.Token, error) {
	return carrier.Token{AccessToken: carrier.NewSecret("token")}, nil
}

func (tokens) Invalidate(carrier.Token) {}

func (tokens) Suspect(carrier.Token) {}

// The time is checked once more when the connection is in hand, on both clocks.
func TestAnIntentThatIsTooOldWithTheConnectionInHandSendsNothing(t *testing.T) {
	t.Parallel()
	var received atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { received.Add(1) }))
	t.Cleanup(server.Close)
	carrierClient, err := carrier.NewClient(carrier.Config{
		BaseURL: server.URL, Version: 8, Tokens: tokens{}, AllowInsecure: true, Rate: carrier.NewRate(10, 10),
		Now: func() time.Time { return time.Unix(1_800_000_000, 0) }, MinTimeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		takes func(*tape)
		sent  bool
	}{
		"10 s": {func(t *tape) { t.passed += goodFor }, false},
		"10 s, and the wall clock is set back": {
			func(t *tape) { t.passed, t.now = t.passed+goodFor, t.now.Add(-time.Hour) }, false,
		},
		"10 s of the wall clock alone": {func(t *tape) { t.now = t.now.Add(goodFor) }, false},
		"less than 10 s":               {func(t *tape) { t.passed += goodFor - 1 }, true},
	} {
		received.Store(0)
		tape := newTape()
		scope := tape.scope()
		scope.Carrier = dialing{tape, carrierClient, func() { test.takes(tape) }}
		err := tape.sendAs(t.Context(), scope)
		notSent := tape.steps[len(tape.steps)-1] == stepNotSent
		if err != nil || notSent == test.sent || (received.Load() == 1) != test.sent {
			t.Errorf("%s: %v after %v, and %d requests", name, err, tape.steps, received.Load())
		}
	}
}

// Each read of the last check has a time limit (R12).
func TestR12AReadBeforeThePOSTEndsAfterThreeSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for want, within := range map[error]time.Duration{
			context.Canceled: 3*time.Second - 1, context.DeadlineExceeded: 3*time.Second + 1,
		} {
			ctx, stop := context.WithCancel(t.Context())
			time.AfterFunc(within, stop)
			p := &Protocol{Live: hung{}}
			err := p.readAtGate(ctx, client.ObjectKey{Name: "site"}, &v1alpha1.BroadbandService{})
			if !errors.Is(err, want) {
				t.Errorf("stopped after %s: %v", within, err)
			}
		}
	})
}

// policiesAt are policies as they are known from the last check, and as they are in the cluster now.
type policiesAt struct{ known, now error }

// Verify returns what is known.
func (p policiesAt) Verify(context.Context, decide.Policies) error { return p.known }

// VerifyLive returns what would be read.
func (p policiesAt) VerifyLive(context.Context, decide.Policies) error { return p.now }

// The policies may have been removed after the last check, and an approval set since by anybody. A
// request that needs no approval costs no read of the policies.
func TestTheGateReadsThePoliciesAgainForAnApprovedRequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		policies Policies
		approved string
		sent     bool
	}{
		"in force":                        {policiesAt{}, "p1", true},
		"something else checks approvals": {nil, "p1", true},
		"missing since the last check":    {policiesAt{now: errStep}, "p1", false},
		"missing since, without approval": {policiesAt{now: errStep}, "", true},
		"missing at the last check":       {policiesAt{known: errStep}, "", false},
	} {
		tape := newTape()
		protocol := tape.protocol("me")
		protocol.Policies = test.policies
		_, err := protocol.Send(t.Context(), tape.scope(), Submission{
			Request: v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, APIVersion: 8, Phase: v1alpha1.PhaseSubmitting,
				ApprovedHash: test.approved,
			},
			Class: carrier.ClassCharge,
		})
		if sent := slices.Contains(tape.steps, stepPOST); sent != test.sent || err != nil {
			t.Errorf("%s: sent %t, %v after %v", name, sent, err, tape.steps)
		}
	}
}
