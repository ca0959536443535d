// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/cache"
)

// The steps of a request that is counted against the limit.
const (
	stepReserve = "reserve "
	stepRelease = "release "
)

// spendingOf counts the requests of an account that may send one in an hour, and has sent some.
func (t *tape) spendingOf(protocol *Protocol, sent ...v1alpha1.Reservation) *Spending {
	t.account.Spec.ChargeLimit = &v1alpha1.ChargeLimit{PerHour: 1}
	logins := &requestledger.Logins{
		Ledgers:      &requestledger.Store{Cluster: t, Live: t},
		Installation: func(context.Context) (decide.Installation, error) { return decide.Installation{}, nil },
		VerifyMarker: func(context.Context) error { return nil },
	}
	ledger := requestledger.New(decide.LoginLedgerName(v1alpha1.CarrierLogin{}), v1alpha1.RequestLedgerSpec{
		Account: &v1alpha1.LedgerAccount{Reservations: sent},
	})
	ledger.ResourceVersion = "1"
	t.ledgers[ledger.Name] = ledger
	return &Spending{Protocol: protocol, Logins: logins, Account: t.account.DeepCopy()}
}

func TestR10AReservationIsMadeBeforeTheIntent(t *testing.T) {
	t.Parallel()
	notSent := []string{stepToken, stepReserve + "a-1", stepIntent, stepFinalizer, stepNotSent, stepRelease + "a-1"}
	sent := v1alpha1.Reservation{
		AttemptID: "a-0", Operation: v1alpha1.OperationPlanChange, At: metav1.NewTime(newTape().now),
	}
	for name, test := range map[string]struct {
		sent  []v1alpha1.Reservation
		fails string
		err   error
		want  []string
	}{
		"there is room": {nil, "", nil, []string{
			stepToken, stepReserve + "a-1", stepIntent, stepFinalizer, stepAccount, stepObject, stepPOST, stepAccepted,
		}},
		"there is none":         {[]v1alpha1.Reservation{sent}, "", nil, []string{stepToken}},
		"the reservation fails": {nil, stepReserve + "a-1", errStep, []string{stepToken}},
		"its response is lost":  {nil, stepReserve + "a-1", errWritten, []string{stepToken, stepRelease + "a-1"}},
		"the intent fails": {nil, stepIntent, errStep, []string{
			stepToken, stepReserve + "a-1", stepRelease + "a-1",
		}},
		"the gate is closed afterward": {nil, stepAccount, errStep, notSent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tape := newTape()
			if test.fails != "" {
				tape.at[test.fails] = func() error { return test.err }
			}
			protocol := tape.protocol("me")
			spending := tape.spendingOf(protocol, test.sent...)
			scope := tape.scope()
			scope.Spending = spending
			if err := sendBy(t.Context(), protocol, scope); err != nil && test.fails == "" {
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
		protocol := tape.protocol("me")
		spending := tape.spendingOf(protocol)
		scope := tape.scope()
		scope.Spending = spending
		_, err := protocol.Send(t.Context(), scope, Submission{
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

// A login may have a ledger for each of many services, and only times and ids are read from them.
func TestTheRequestsOfTheLastHourAreFoundWithoutCopies(t *testing.T) {
	t.Parallel()
	now := newTape().now
	held := cache.Fleet(20, now)
	reserved := []v1alpha1.Reservation{{}} // no attempt here has an id
	login := v1alpha1.CarrierLogin{}
	spending := &Spending{Protocol: &Protocol{Cluster: held, Now: func() time.Time { return now }}, Login: login}
	found, err := spending.recentlySent(t.Context(), reserved)
	if err != nil || len(found) != 2 {
		t.Errorf("found are %v, %v", found, err)
	}
}
