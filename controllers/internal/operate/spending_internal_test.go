// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// The steps of a request that is counted against the limit.
const (
	stepReserve = "reserve "
	stepRelease = "release "
)

// spendingTape records what is counted. It has no budget left for the time wait; zero means that
// there is budget.
type spendingTape struct {
	*tape

	wait time.Duration
}

func (s *spendingTape) Reserve(_ context.Context, attempt v1alpha1.Request) (time.Duration, error) {
	return s.wait, s.take(stepReserve + attempt.AttemptID)
}

func (s *spendingTape) Release(_ context.Context, attemptID string) {
	if err := s.take(stepRelease + attemptID); err != nil {
		panic(err)
	}
}

func TestR10AReservationIsMadeBeforeTheIntent(t *testing.T) {
	t.Parallel()
	notSent := []string{stepToken, stepReserve + "a-1", stepIntent, stepFinalizer, stepNotSent, stepRelease + "a-1"}
	for name, test := range map[string]struct {
		wait  time.Duration
		fails string
		want  []string
	}{
		"there is room": {0, "", []string{
			stepToken, stepReserve + "a-1", stepIntent, stepFinalizer, stepAccount, stepObject, stepPOST, stepAccepted,
		}},
		"there is none":                {time.Second, "", []string{stepToken, stepReserve + "a-1"}},
		"the reservation fails":        {0, stepReserve + "a-1", []string{stepToken, stepRelease + "a-1"}},
		"the intent fails":             {0, stepIntent, []string{stepToken, stepReserve + "a-1", stepRelease + "a-1"}},
		"the gate is closed afterward": {0, stepAccount, notSent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tape := newTape()
			if test.fails != "" {
				tape.at[test.fails] = func() error { return errStep }
			}
			scope := tape.scope()
			scope.Spending = &spendingTape{tape, test.wait}
			if err := tape.sendAs(t.Context(), scope); err != nil && test.fails == "" {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, tape.steps); diff != "" {
				t.Errorf("the steps (-want +got):\n%s", diff)
			}
		})
	}
}

func TestR10OnlyChargeableRequestsAreCounted(t *testing.T) {
	t.Parallel()
	for _, class := range []carrier.RepeatClass{carrier.ClassConverge, carrier.ClassVerify} {
		tape := newTape()
		scope := tape.scope()
		scope.Spending = &spendingTape{tape: tape}
		_, err := tape.protocol("me").Send(t.Context(), scope, Submission{
			Request: v1alpha1.Request{
				Operation: v1alpha1.OperationAggregationConversion, APIVersion: 8, Phase: v1alpha1.PhaseSubmitting,
			},
			Class: class,
		})
		if err != nil || slices.Contains(tape.steps, stepReserve+"a-1") || !slices.Contains(tape.steps, stepPOST) {
			t.Errorf("%s: %v (%v)", class, tape.steps, err)
		}
	}
}
