// SPDX-License-Identifier: Apache-2.0

// Package sessions keeps one session per CarrierAccount: the tokens, the HTTP client and the proof
// that the carrier accepts the tokens, shared by all objects of the account; and what belongs to a
// login, the rate limit and the breaker, shared by all accounts of the login.
package sessions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Session provides the calls to the carrier for one account.
type Session struct {
	client  *carrier.Client
	tokens  *carrier.ClientCredentials
	shared  atomic.Pointer[login] // what belongs to its login
	proof   proof
	changed func() // called when the account's status may have to change

	carrierChanged func(*Session)      // called when it is news whether the carrier answers
	join           func(*Session) bool // shares the state of its login; false: it is not in use any more

	extensions extensions
}

// share makes the session use what belongs to a login.
func (s *Session) share(state *login) {
	s.shared.Store(state)
	s.client.Share(state.rate)
}

func (s *Session) breaker() *breaker { return &s.shared.Load().breaker }

// requestToken ensures that there is a token, and requests one if there is none. The error is that of
// the API server, if a key could not be read.
func (s *Session) requestToken(ctx context.Context) (decide.Login, error) {
	_, err := s.tokens.Token(ctx)
	_, failed := errors.AsType[*carrier.TokenError](err)
	_, missing := errors.AsType[*decide.SecretError](err)
	switch {
	case err == nil:
		return decide.Login{}, nil
	case failed || missing:
		return decide.Login{Err: &LoginError{cause: err}, Outage: s.tokens.Outage()}, nil
	}
	return decide.Login{}, fmt.Errorf("log in: %w", err)
}

// awaitToken waits a moment for a token that outlives the next call, or returns how long to wait.
func (s *Session) awaitToken(ctx context.Context) (time.Duration, error) {
	_, err := s.tokens.Token(ctx)
	if wait := carrier.PendingWait(err); wait > 0 || err == nil {
		return wait, nil
	}
	return 0, &LoginError{cause: err}
}

// Breaker returns the state of the breaker, and what is known about the carrier.
func (s *Session) Breaker() decide.Breaker { return s.breaker().state() }

// noteRead notes whether a read for an object was answered.
func (s *Session) noteRead(err error) {
	if err == nil || isRefused(err) {
		s.breaker().serve()
	}
	s.noteCall(err)
}

// noteCall notes whether a read was answered. Then the requests waiting for the carrier continue.
func (s *Session) noteCall(err error) {
	var news bool
	switch {
	case err == nil:
		news = s.breaker().responded()
	case isRefused(err):
		news = s.breaker().refused()
	default:
		news = s.breaker().unanswered(err)
	}
	if news {
		s.carrierChanged(s)
	}
}

// isComplete reports whether the carrier has processed a call that ended with this error or nil.
func isComplete(err error) bool {
	switch carrier.ClassOf(err) {
	case "", carrier.NotFoundOrForbidden, carrier.Invalid, carrier.Refused, carrier.Unreadable:
		return true
	case carrier.Unreachable, carrier.ServerFault, carrier.Throttled, carrier.Unauthorized:
	}
	return false
}

// isRefused reports whether a read got a 403 or 404, which is a response about the service.
func isRefused(err error) bool { return carrier.ClassOf(err) == carrier.NotFoundOrForbidden }

// RecoveryAt returns when a silent carrier is read next; zero if the carrier is not silent.
func (s *Session) RecoveryAt() time.Time { return s.breaker().recoveryAt() }

// CheckRecovery makes a free read if the carrier is silent and a read is due. Without a service to
// read, it checks the token. It returns when the next read is due; zero if the carrier is not
// silent.
func (s *Session) CheckRecovery(ctx context.Context, serviceID int64) time.Time {
	due, at := s.breaker().checkRecovery()
	if !due {
		return at
	}
	var err error
	if serviceID == 0 {
		err = s.client.CheckToken(ctx)
	} else {
		_, err = s.client.Cancellation(ctx, serviceID)
	}
	s.noteCall(err) // not counted for an object, because a carrier may answer nothing but this read
	return at
}

// Unprobed replaces Probe if there is no service to read: the next chargeable request then shows
// whether the carrier answers.
func (s *Session) Unprobed() { s.breaker().admit() }

// Cancellation reads the cancellation of a service.
func (s *Session) Cancellation(ctx context.Context, serviceID int64) (carrier.Cancellation, error) {
	found, err := s.client.Cancellation(ctx, serviceID)
	s.noteRead(err)
	if err != nil {
		return found, fmt.Errorf("read the cancellation of service %d: %w", serviceID, err)
	}
	return found, nil
}

// Disruptions reads one page of the active and scheduled disruptions of a service, and reports
// whether it is the last. The first page has the number zero.
func (s *Session) Disruptions(
	ctx context.Context, serviceID int64, number int,
) (found []carrier.Disruption, last bool, err error) {
	query := carrier.DisruptionQuery{
		ServiceID: serviceID, Size: 100,
		Statuses: []carrier.DisruptionStatus{carrier.DisruptionActive, carrier.DisruptionScheduled},
	}
	page, err := s.client.DisruptionPage(ctx, query, number)
	s.noteRead(err)
	if err != nil {
		return nil, false, fmt.Errorf("read the disruptions of service %d: %w", serviceID, err)
	}
	return page.Content, page.IsLast(number), nil
}

// LoginError reports that a call was not made because there is no token for it.
type LoginError struct{ cause error }

// Error returns the cause as text.
func (e *LoginError) Error() string { return "cannot log in: " + e.cause.Error() }

// Unwrap returns the cause.
func (e *LoginError) Unwrap() error { return e.cause }

// extensions is what this process knows about the extensions of the carrier.
type extensions struct {
	mu    sync.Mutex
	known decide.Extensions
}

// note records the outcome of a call of an extension, and reports whether it is news. A carrier
// that has once carried out such a call has the extension, so a later refusal is about one service.
func (e *extensions) note(extension v1alpha1.Extension, refusal error) (news bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, isKnown := e.known[extension]
	if isKnown && (before == nil || refusal != nil) {
		return false
	}
	if e.known == nil {
		e.known = make(decide.Extensions)
	}
	e.known[extension] = refusal
	return true
}

// Extensions returns what is known about the extensions of the carrier.
func (s *Session) Extensions() decide.Extensions {
	s.extensions.mu.Lock()
	defer s.extensions.mu.Unlock()
	return maps.Clone(s.extensions.known)
}

// noteResponse records whether the carrier has an extension. Only a complete response shows this.
func (s *Session) noteResponse(extension v1alpha1.Extension, err error) {
	if isComplete(err) {
		s.NoteExtension(extension, err)
	}
}

// NoteExtension records that the carrier has an extension, or the error with which the carrier
// refused a call of it.
func (s *Session) NoteExtension(extension v1alpha1.Extension, refusal error) {
	if s.extensions.note(extension, refusal) {
		s.changed()
	}
}

// Service reads a service as the carrier describes it. A 403 or 404 is not noted as a refusal of
// the extension, because it may be about the service.
func (s *Session) Service(ctx context.Context, serviceID int64, version int) (carrier.Service, error) {
	found, err := s.client.Service(ctx, serviceID, version)
	s.noteRead(err)
	if !isRefused(err) {
		s.noteResponse(v1alpha1.ExtensionServiceRead, err)
	}
	if err != nil {
		return found, fmt.Errorf("read service %d: %w", serviceID, err)
	}
	return found, nil
}

// TestTypes lists the diagnostic tests that the carrier offers for a service.
func (s *Session) TestTypes(ctx context.Context, serviceID int64) ([]string, error) {
	found, err := s.client.TestTypes(ctx, serviceID)
	s.noteRead(err)
	s.noteResponse(v1alpha1.ExtensionTestTypes, err)
	if err != nil {
		return nil, fmt.Errorf("read the test types of service %d: %w", serviceID, err)
	}
	return found, nil
}

// Order reads an order that the carrier has accepted.
func (s *Session) Order(ctx context.Context, orderID int64) (carrier.Order, error) {
	found, err := s.client.Order(ctx, orderID)
	s.noteRead(err)
	s.noteResponse(v1alpha1.ExtensionOrderRead, err)
	if err != nil {
		return found, fmt.Errorf("read order %d: %w", orderID, err)
	}
	return found, nil
}
