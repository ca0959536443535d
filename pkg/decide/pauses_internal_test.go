// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"strconv"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

var noon = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)

// The poll times are the same for every process. A process that asks after a poll gets the next
// time, and all processes that ask before the next poll get the same time.
func TestPollTimesAreTheSameForEveryProcess(t *testing.T) {
	t.Parallel()
	looks := curve{first: 5 * time.Second, longest: 5 * time.Minute}
	for object := range 20 {
		uid := strconv.Itoa(object)
		at, gap := noon, time.Duration(0)
		for at.Before(noon.Add(6 * time.Hour)) {
			next := looks.next(noon, uid, at)
			if between := looks.next(noon, uid, at.Add(next.Sub(at)/2)); !between.Equal(next) {
				t.Fatalf("after %v the next look is %v, and later it is %v", at, next, between)
			}
			switch next := next.Sub(at); {
			case next < looks.first:
				t.Fatalf("two looks are %v apart, the least is %v", next, looks.first)
			case next > looks.longest*5/4:
				t.Fatalf("two looks are %v apart, the most is %v and a quarter", next, looks.longest)
			case next < gap-time.Millisecond:
				t.Fatalf("the gap shrinks from %v to %v", gap, next)
			default:
				gap = next
			}
			at = next
		}
	}
}

// For an account whose requests are polled often, the first poll is early too. The carrier's
// minimum for a fibre build charge cannot be shortened.
func TestTheAccountsPollingLimitsApplyToTheFirstPause(t *testing.T) {
	t.Parallel()
	const second = time.Second
	for _, c := range []struct {
		operation      carrier.Operation
		least, most    v1alpha1.Duration
		first, longest time.Duration
	}{
		{carrier.PlanChange, "", "", 5 * second, 5 * time.Minute},
		{carrier.PlanChange, "1s", "", 5 * second, 5 * time.Minute},
		{carrier.PlanChange, "1s", "1s", second, second},
		{carrier.PlanChange, "1s", "3s", 3 * second, 3 * second},
		{carrier.PlanChange, "20s", "10s", 20 * second, 20 * second},
		{carrier.PlanChange, "0s", "0s", second, second},
		{carrier.FibreBuildCharge, "1s", "1s", 5 * second, 5 * second},
	} {
		account := &v1alpha1.CarrierAccount{}
		account.Spec.Polling = v1alpha1.Polling{Min: c.least, Max: c.most}
		if got := curveOf(c.operation, &Account{Object: account}); got.first != c.first || got.longest != c.longest {
			t.Errorf("%s polled from %q to %q: first after %v, at last every %v; want %v and %v",
				c.operation, c.least, c.most, got.first, got.longest, c.first, c.longest)
		}
	}
}

// A reading that was polled late, just before the next point of its curve, keeps the least pause. The
// same applies to one whose POST took longer than the first pause.
func TestTwoPollsOfAReadingAreNeverTooClose(t *testing.T) {
	t.Parallel()
	service := &v1alpha1.BroadbandService{}
	in := &Input{Subject: service, Now: noon}
	for _, operation := range []carrier.Operation{carrier.Health, carrier.PlanOptions} {
		contract, _ := carrier.ContractOf(operation)
		reading := &Reading{RequestedAt: noon, Handle: carrier.Handle{Operation: operation}}
		for range 1000 {
			reading.LastPoll = reading.LastPoll.Add(17 * time.Millisecond)
			if reading.LastPoll.Before(noon) {
				reading.LastPoll = noon
			}
			if pause := nextReadingPoll(in, reading).Sub(reading.LastPoll); pause < contract.Poll.Min {
				t.Fatalf("%s is polled %v after %v, want at least %v", operation, pause, reading.LastPoll, contract.Poll.Min)
			}
		}
	}
}
