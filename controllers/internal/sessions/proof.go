// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The pauses between two token checks that did not show whether the carrier accepts the token.
const (
	shortestCheckPause = time.Second
	longestCheckPause  = time.Minute

	checkPatience = time.Second // how long a pass waits for a check in progress
)

// proof is what is known about whether the carrier itself accepts the tokens of an account. A
// grant by the identity provider proves nothing: anyone who writes an account also names its
// identity provider. Nothing may be read, kept or counted for a login before the carrier has
// accepted a token. One free call for each account and process shows whether it has.
type proof struct {
	now func() time.Time

	mu       sync.Mutex
	accepted bool          // the carrier has accepted a token; stays true for the session
	refused  bool          // it has refused tokens since, so it is asked again before the account is Ready
	call     chan struct{} // closed when the check in progress has ended; nil: there is none
	began    time.Time     // when that check began
	failures int           // consecutive checks that showed nothing
	since    time.Time     // when the first of these checks was made
	until    time.Time     // no check is made before this time
	err      error         // the error of the first of these checks, so that the shown error does not change
}

// isAccepted reports whether the carrier has accepted a token in this session.
func (p *proof) isAccepted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// isValid reports whether the carrier has accepted a token, and has refused none since.
func (p *proof) isValid() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted && !p.refused
}

// takeOver takes over what an earlier session of the same account has shown.
func (p *proof) takeOver(earlier *proof) {
	earlier.mu.Lock()
	defer earlier.mu.Unlock()
	p.accepted, p.refused = earlier.accepted, earlier.refused
}

// withdraw notes that the carrier refuses tokens.
func (p *proof) withdraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = true
}

// enter lets the caller make the check. Otherwise it returns the channel of the check in progress, if
// waiting for it makes sense, or how long to wait.
func (p *proof) enter() (enters bool, call <-chan struct{}, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	switch {
	case p.accepted && !p.refused:
		return false, nil, 0
	case p.call != nil && now.Sub(p.began) < checkPatience:
		return false, p.call, shortestCheckPause
	case p.call != nil:
		return false, nil, shortestCheckPause
	case now.Before(p.until):
		return false, nil, p.until.Sub(now)
	}
	p.call, p.began = make(chan struct{}), now
	return true, nil, 0
}

// leave ends the check that enter has allowed.
func (p *proof) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.call)
	p.call = nil
}

// accept notes that the carrier has accepted a token.
func (p *proof) accept() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accepted, p.refused = true, false
	p.failures, p.since, p.until, p.err = 0, time.Time{}, time.Time{}, nil
}

// postpone notes that a check has shown nothing, and returns the time until the next one.
func (p *proof) postpone(err error) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.failures == 0 {
		p.since, p.err = now, err
	}
	pause := min(shortestCheckPause<<min(p.failures, 10), longestCheckPause)
	p.until = now.Add(pause)
	p.failures++
	return pause
}

// unproven returns the login result while checks have shown nothing, and whether that applies.
func (p *proof) unproven() (login decide.Login, is bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		return decide.Login{}, false
	}
	login.Err = &decide.UnprovenError{Cause: p.err}
	login.Outage = carrier.Outage{Since: p.since, RetryAt: p.until}
	return login, true
}

// IsProven reports whether the carrier has accepted a token of the account in this process.
func (s *Session) IsProven() bool { return s.proof.isAccepted() }

// Prove makes sure that the carrier has accepted a token of the account. It makes the free call
// that shows this, unless it was made before. A wait above zero means that the result is not known
// yet, and is the time after which to try again. The error is a [LoginError] if there is no token.
func (l *Lease) Prove(ctx context.Context) (time.Duration, error) {
	defer l.Release()
	enters, call, wait := l.proof.enter()
	if enters {
		return l.check(ctx)
	}
	if call == nil {
		return wait, nil
	}
	patience, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	select {
	case <-call:
		if l.proof.isValid() {
			return 0, nil
		}
	case <-patience.Done():
	}
	return wait, nil
}

// check makes one token check.
func (l *Lease) check(ctx context.Context) (time.Duration, error) {
	defer l.proof.leave()
	wait, err := l.Prepare(ctx, carrier.ClassQuery)
	if wait > 0 || err != nil {
		return wait, err
	}
	err = l.client.CheckToken(ctx)
	switch carrier.ClassOf(err) {
	case "":
		return l.accepted(), nil
	case carrier.Unauthorized:
		// The first refused token is replaced at once. If its replacement is refused, too, the token
		// source reports it.
		return shortestCheckPause, nil
	case carrier.Unreachable, carrier.NotFoundOrForbidden, carrier.Throttled, carrier.Invalid, carrier.Refused,
		carrier.ServerFault, carrier.Unreadable:
	}
	l.noteCall(err)
	pause := l.proof.postpone(err)
	l.changed()
	return pause, nil
}

// accepted makes the account share what belongs to its login.
func (l *Lease) accepted() time.Duration {
	if !l.proof.isAccepted() && !l.join(l.Session) {
		return shortestCheckPause // the account was edited meanwhile, and has another session
	}
	l.proof.accept()
	l.noteCall(nil)
	return 0
}

// Login makes sure that the account has a token which the carrier accepts. A wait above zero means
// that the result is not known yet. The error is that of the API server, if a key could not be read.
func (l *Lease) Login(ctx context.Context) (decide.Login, time.Duration, error) {
	login, wait, err := l.haveToken(ctx)
	if err != nil || login.Err != nil || l.proof.isValid() {
		return login, wait, err
	}
	// An error here is not lost: the next login requests the token first, and gets the error again.
	wait, err = l.Prove(ctx)
	if unproven, is := l.proof.unproven(); is {
		return unproven, 0, nil
	}
	if wait == 0 && err == nil {
		return login, 0, nil
	}
	// If the carrier has refused the token, the token source knows now whether another one helps.
	login, pending, err := l.haveToken(ctx)
	if err != nil || login.Err != nil {
		return login, pending, err
	}
	return login, max(wait, shortestCheckPause), nil
}

// haveToken requests a token if there is none, and notes if the carrier refuses what is granted.
func (l *Lease) haveToken(ctx context.Context) (decide.Login, time.Duration, error) {
	login, err := l.requestToken(ctx)
	if errors.Is(login.Err, carrier.ErrTokenNotAccepted) {
		l.proof.withdraw()
	}
	return login, carrier.PendingWait(login.Err), err
}
