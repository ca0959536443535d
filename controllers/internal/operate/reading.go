// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// handlePause is the wait before a health request whose Location is lost is asked anew.
const handlePause = time.Minute

// HealthQuestion is a health request to be asked.
type HealthQuestion struct {
	UID       types.UID
	ServiceID int64
	Version   int
	Token     string // the reconcile annotation it is asked for
}

// AskHealth sends a health request. Class Query: it "has neither finalizer nor
// intent"; its Location is kept in memory, and after a loss it is simply asked anew.
func (p *Protocol) AskHealth(ctx context.Context, way Carrier, question HealthQuestion) (time.Duration, error) {
	if wait, err := way.Prepare(ctx, carrier.CallSubmit); wait > 0 || err != nil {
		return wait, err // a login error is the account's: the caller tells it apart
	}
	asked := p.Now()
	body := carrier.HealthRequest{ServiceID: question.ServiceID}.Body()
	receipt := way.Submit(ctx, carrier.Health, question.Version, body, false)
	p.Ledger.Note(question.UID, asked, func(memory *decide.Memory) {
		failures := memory.Reading.Failures
		memory.Reading = decide.Reading{
			State: decide.ReadingOpen, AskedAt: asked, LastLook: asked, Handle: receipt.Handle,
			Token: question.Token, Failures: failures,
		}
		if receipt.Delivery != carrier.Accepted {
			pause := pauseAfter(&memory.Reading, receipt.Err, receipt.RetryAfter)
			p.readingFailed(&memory.Reading, receipt.Err, pause)
		}
	})
	return 0, nil
}

// FollowHealth looks once at the Location of the health request under way.
func (p *Protocol) FollowHealth(
	ctx context.Context, way Carrier, uid types.UID, reading decide.Reading,
) (time.Duration, error) {
	if wait, err := way.Prepare(ctx, carrier.CallPoll); wait > 0 || err != nil {
		return wait, err // a login error is the account's: the caller tells it apart
	}
	outcome, err := way.Poll(ctx, reading.Handle)
	p.Ledger.Note(uid, p.Now(), func(memory *decide.Memory) {
		p.readingLooked(&memory.Reading, outcome, err)
	})
	return 0, nil
}

func (p *Protocol) readingAnswered(reading *decide.Reading, body []byte) {
	health, err := carrier.DecodeHealth(reading.Handle.Version, body)
	if err != nil {
		p.readingFailed(reading, err, pauseAfter(reading, err, 0))
		return
	}
	reading.State, reading.Health, reading.Failures, reading.Err = decide.ReadingAnswered, health, 0, nil
}

// readingLooked judges one look. A handle that the carrier does not know "is asked
// anew after 60 s"; any other trouble is not the end of a reading, only of a look.
func (p *Protocol) readingLooked(reading *decide.Reading, outcome carrier.Outcome, err error) {
	reading.LastLook = p.Now()
	contract, _ := carrier.ContractOf(carrier.Health)
	switch {
	case err != nil && proofless(err):
		p.readingFailed(reading, err, handlePause)
	case err != nil && p.Now().Sub(reading.AskedAt) < contract.Poll.Usual:
		reading.Failures, reading.Err = reading.Failures+1, err
	case err != nil:
		p.readingFailed(reading, err, pauseAfter(reading, err, outcome.RetryAfter))
	case outcome.State == carrier.Failed:
		p.readingFailed(reading, outcome.Err, pauseAfter(reading, outcome.Err, 0))
	case outcome.State == carrier.Done:
		p.readingAnswered(reading, outcome.Body)
	}
}

// readingFailed remembers why there is no reading and when it may be asked for again.
func (p *Protocol) readingFailed(reading *decide.Reading, err error, pause time.Duration) {
	reading.Failures++
	reading.State, reading.Err, reading.RetryAt = decide.ReadingFailed, err, p.Now().Add(pause)
}

// pauseAfter is the wait after a failed reading: ten minutes where the carrier does not
// let us see the service, else a growing one, and never less than the carrier asks for.
func pauseAfter(reading *decide.Reading, err error, retryAfter time.Duration) time.Duration {
	if carrier.ClassOf(err) == carrier.NotFoundOrForbidden {
		return decide.ForbiddenPause
	}
	return max(decide.Backoff(reading.Failures+1), retryAfter)
}
