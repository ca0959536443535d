// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// driveBurst edits all services at once, and waits until all are ready again.
func (l *lane) driveBurst(ctx context.Context) error {
	var steps []step
	if l.contestant == product { // the others learn nothing
		steps = append(steps, l.edit(0, l.WarmUp), l.await(0, l.WarmUp, edited))
	}
	last := l.WarmUp + l.Changes
	steps = append(steps, l.begin, l.loseResponses, l.edit(l.WarmUp, last))
	for i := range l.Kills {
		steps = append(steps, after(firstKill+time.Duration(i)*laterKill), l.restart)
	}
	return inTurn(ctx, append(steps, l.await(l.WarmUp, last, edited), l.end(l.WarmUp, last))...)
}

// Each process is killed somewhat later after its start than the one before it, so that the kills
// interrupt different steps of a change.
const firstKill, laterKill = 500 * time.Millisecond, 150 * time.Millisecond

// after is a pause between two steps.
func after(long time.Duration) step {
	return func(ctx context.Context) error { return pause(ctx, long) }
}

// loseResponses makes the carrier carry out a plan change and close the connection, for services
// evenly spread.
func (l *lane) loseResponses(ctx context.Context) error {
	for i := range l.Lost {
		number := l.WarmUp + i*l.Changes/l.Lost
		err := l.management(ctx, http.MethodPost, "/_sim/faults", map[string]any{
			"target": "POST " + string(simulator.OpPlanChange), "kind": simulator.FaultReset, "processed": true,
			"serviceId": l.first + int64(number),
		}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// driveIdle changes nothing, and restarts the contestant once.
func (l *lane) driveIdle(ctx context.Context) error {
	steps := []step{after(l.Quiet / 2), l.begin, after(l.Quiet), l.restart, after(l.Quiet), l.end(0, 0)}
	return inTurn(ctx, steps...)
}

// driveInFlight replaces the contestant while all changes are in progress, and measures for less time
// than the operator lets pass between two polls of requests that old.
func (l *lane) driveInFlight(ctx context.Context) error {
	if err := inTurn(ctx, l.begin, l.edit(0, l.Changes), l.allSent(l.Changes), after(4*l.Quiet)); err != nil {
		return err
	}
	return inTurn(ctx, l.begin, l.halt, after(l.Quiet), l.start, after(l.Quiet/2), l.end(0, l.Changes))
}

// driveBusy edits one service after another: the first half while nothing else happens, the second
// half while other requests are polled and an edit of the account makes all services be looked at.
func (l *lane) driveBusy(ctx context.Context) error {
	const between, untilSent = time.Second, 20 * time.Second
	half, all := l.WarmUp+l.Changes/2, l.WarmUp+l.Changes
	steps := []step{l.begin}
	for number := l.WarmUp; number < half; number++ {
		steps = append(steps, l.edit(number, number+1), after(between))
	}
	steps = append(steps, l.edit(0, l.WarmUp), after(untilSent))
	for number := half; number < all; number++ {
		steps = append(steps, l.lookAtAll(number), l.edit(number, number+1), after(between))
	}
	return inTurn(ctx, append(steps, l.allSent(all), l.end(l.WarmUp, all))...)
}

// lookAtAll edits the account, and differently each time.
func (l *lane) lookAtAll(turn int) step {
	return func(ctx context.Context) error {
		return l.patchAccount(ctx, fmt.Sprintf(`{"spec":{"polling":{"max":"%ds"}}}`, 300+turn))
	}
}

// allSent waits until the carrier has that many plan changes.
func (l *lane) allSent(count int) step {
	return func(ctx context.Context) error {
		return until(ctx, 2*time.Minute, func() bool {
			calls, err := l.calls(ctx)
			return err == nil && len(trafficOf(calls[min(l.before.calls, len(calls)):], l.times).posted) >= count
		})
	}
}
