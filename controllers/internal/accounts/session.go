// SPDX-License-Identifier: Apache-2.0

// Package accounts keeps one session per CarrierAccount: the login, the HTTP client,
// its rate limit and its breaker, shared by all objects of the account.
package accounts

import (
	"context"
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Session is one account's way to the carrier.
type Session struct {
	client  *carrier.Client
	tokens  carrier.TokenSource
	breaker *breaker
	failed  func(error) // told when the login fails in use
}

// Login makes sure that there is a token, exchanging one when there is none. The
// errors are those of [carrier.TokenSource], and *decide.SecretError.
func (s *Session) Login(ctx context.Context) error {
	if _, err := s.tokens.Token(ctx); err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	return nil
}

// Prepare gets a token and a place in the rate limit, or says how long to wait.
func (s *Session) Prepare(ctx context.Context, kind carrier.CallKind) (time.Duration, error) {
	wait, err := s.client.Prepare(ctx, kind)
	if err != nil {
		s.failed(err)
		return 0, &LoginError{cause: err}
	}
	return wait, nil
}

// Enter asks the breaker whether a request that costs may be sent now: zero, or how
// long to wait before asking again.
func (s *Session) Enter() time.Duration { return s.breaker.enter() }

// BreakerUntil is until when nothing that costs is sent; zero when the breaker is closed.
func (s *Session) BreakerUntil() time.Time { return s.breaker.until() }

// Submit sends one POST and lets the breaker learn from its answer.
func (s *Session) Submit(
	ctx context.Context, op carrier.Operation, version int, body []byte, fresh bool,
) carrier.Receipt {
	receipt := s.client.Submit(ctx, op, version, body, fresh)
	contract, _ := carrier.ContractOf(op)
	s.breaker.posted(contract.Repeat, receipt.Delivery)
	return receipt
}

// Poll looks once at a Location. "Any 200 or 202 of a GET" shows the breaker that the
// carrier answers again.
func (s *Session) Poll(ctx context.Context, handle carrier.Handle) (carrier.Outcome, error) {
	outcome, err := s.client.Poll(ctx, handle)
	if err != nil {
		return outcome, fmt.Errorf("ask after %s: %w", handle.Path(), err)
	}
	s.breaker.answered()
	return outcome, nil
}

// Cancellation reads the cancellation of a service.
func (s *Session) Cancellation(ctx context.Context, serviceID int64) (carrier.Cancellation, error) {
	found, err := s.client.Cancellation(ctx, serviceID)
	if err != nil {
		return found, fmt.Errorf("read the cancellation of service %d: %w", serviceID, err)
	}
	s.breaker.answered()
	return found, nil
}

// Disruptions reads one page of the active and scheduled disruptions of a service, the
// first of which has the number zero, and says whether it is the last.
func (s *Session) Disruptions(
	ctx context.Context, serviceID int64, number int,
) (found []carrier.Disruption, last bool, err error) {
	query := carrier.DisruptionQuery{
		ServiceID: serviceID, Size: 100,
		Statuses: []carrier.DisruptionStatus{carrier.DisruptionActive, carrier.DisruptionScheduled},
	}
	page, err := s.client.DisruptionPage(ctx, query, number)
	if err != nil {
		return nil, false, fmt.Errorf("read the disruptions of service %d: %w", serviceID, err)
	}
	s.breaker.answered()
	return page.Content, page.IsLast(number), nil
}

// LoginError says that a call was not made because there is no token for it.
type LoginError struct{ cause error }

// Error is the cause in words.
func (e *LoginError) Error() string { return "log in: " + e.cause.Error() }

// Unwrap gives the cause.
func (e *LoginError) Unwrap() error { return e.cause }
