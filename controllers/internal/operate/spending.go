// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/internal/requestledger"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// retryReservation is how long an object waits after its reservation exceeded the limit, before the
// next pass evaluates it and reports that the limit is reached.
const retryReservation = time.Second

// onConflict is how often, and after which pauses, a reservation is retried in the same pass. Many
// passes reserve at the same time after one commit released many objects.
func onConflict() wait.Backoff {
	return wait.Backoff{Steps: 5, Duration: 10 * time.Millisecond, Factor: 2}
}

// Spending counts, for one account, what all accounts of its login spend together.
type Spending struct {
	Protocol *Protocol
	Logins   *requestledger.Logins
	Account  *v1alpha1.CarrierAccount
	Login    v1alpha1.CarrierLogin // under which its requests are recorded
}

// ReservationsIn returns the reservations in the ledger of a login.
func ReservationsIn(ledger *v1alpha1.RequestLedger) []v1alpha1.Reservation {
	if ledger == nil || ledger.Spec.Account == nil {
		return nil
	}
	return ledger.Spec.Account.Reservations
}

// Reserve counts an attempt before its intent is written, if the recorded state allows it. A pause
// above zero means that the limit is reached. The write carries the resourceVersion
// that was checked, so it fails if another pass has written meanwhile.
func (s *Spending) Reserve(ctx context.Context, attempt v1alpha1.Request) (pause time.Duration, err error) {
	err = retry.RetryOnConflict(onConflict(), func() error {
		ledger, more, unread := s.currentLedger(ctx)
		if unread != nil {
			return unread
		}
		if pause = s.add(ledger, attempt); pause > 0 && !more {
			return nil
		}
		return s.Logins.Ledgers.Write(ctx, ledger)
	})
	if err != nil {
		return 0, fmt.Errorf("count %s towards chargeLimit of CarrierAccount %s: %w",
			attempt.Operation, s.Account.Name, err)
	}
	return pause, nil
}

// add adds an attempt to the login's ledger, or returns how long to wait if the limit is
// reached.
func (s *Spending) add(ledger *v1alpha1.RequestLedger, attempt v1alpha1.Request) time.Duration {
	now, spent := s.Protocol.Now(), s.spent(ledger)
	if !decide.MayReserve(s.Account, spent, now) {
		return retryReservation
	}
	ledger.Spec.Account.Reserve(spent.Reserved(now), v1alpha1.Reservation{
		AttemptID: attempt.AttemptID, Operation: attempt.Operation, At: attempt.SubmittedAt,
	})
	return 0
}

// spent returns what the ledger of the login has recorded, as this process evaluates it.
func (s *Spending) spent(ledger *v1alpha1.RequestLedger) decide.Spending {
	spent := s.Protocol.CheckReservations(s.Account, s.Login, ReservationsIn(ledger))
	spent.Ledger = ledger
	return spent
}

// Release removes the reservation of an attempt, if there is one. A reservation that cannot be removed
// counts for an hour.
func (s *Spending) Release(ctx context.Context, attemptID string) {
	name := decide.LoginLedgerName(s.Login)
	err := retry.RetryOnConflict(onConflict(), func() error {
		ledger, _, err := s.Logins.Ledgers.GetLive(ctx, name)
		if err != nil || ledger == nil || ledger.Spec.Schema > v1alpha1.LedgerSchema {
			return err
		}
		counting := s.spent(ledger).Reserved(s.Protocol.Now())
		left := slices.DeleteFunc(slices.Clone(counting), func(one v1alpha1.Reservation) bool {
			return one.AttemptID == attemptID
		})
		if len(left) == len(counting) {
			return nil
		}
		ledger.Spec.Account.Reserve(left)
		return s.Logins.Ledgers.Write(ctx, ledger)
	})
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot release a reservation: it counts towards chargeLimit for an hour",
			"attemptID", attemptID)
	}
}

// currentLedger returns the login's ledger as recorded now. From the ledgers of services, orders
// and tests, it adds what was sent with the login in the last hour from accounts without a
// chargeLimit, or before its own ledger existed. It reports whether it added anything.
func (s *Spending) currentLedger(ctx context.Context) (ledger *v1alpha1.RequestLedger, more bool, err error) {
	ledger, err = s.Logins.GetOwn(ctx, s.Login)
	if err != nil || ledger != nil && ledger.Spec.Schema > v1alpha1.LedgerSchema {
		return ledger, false, err
	}
	reached, err := s.recentlySent(ctx, ReservationsIn(ledger))
	if err != nil {
		return nil, false, err
	}
	if ledger == nil {
		if ledger, err = s.Logins.New(ctx, s.Login); err != nil {
			return nil, false, err
		}
	}
	before := len(ledger.Spec.Account.Reservations)
	spent := s.Protocol.CheckAllReservations(s.Account, s.Login, slices.Concat(ledger.Spec.Account.Reservations, reached))
	ledger.Spec.Account.Reserve(ledger.Spec.Account.Reservations, spent.Counting(reached, s.Protocol.Now())...)
	return ledger, len(ledger.Spec.Account.Reservations) > before, nil
}

// recentlySent returns the chargeable attempts of the last hour from the other ledgers of the
// login.
func (s *Spending) recentlySent(
	ctx context.Context, reserved []v1alpha1.Reservation,
) (reached []v1alpha1.Reservation, err error) {
	var ledgers v1alpha1.RequestLedgerList
	ofLogin := client.MatchingFields{index.Login: index.LoginKey(s.Login)}
	err = s.Protocol.Cluster.List(ctx, &ledgers, ofLogin, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("count the requests of the last hour: %w", err)
	}
	for i := range ledgers.Items {
		sent, err := s.sentBy(ctx, &ledgers.Items[i], reserved)
		if err != nil {
			return nil, err
		}
		reached = append(reached, sent...)
	}
	return reached, nil
}

// sentBy returns the chargeable attempts of the last hour from a ledger. If the cache shows an open
// attempt without a reservation, the attempt may not have been sent, and its reservation may have
// been released. The ledger is then read bypassing the cache.
func (s *Spending) sentBy(
	ctx context.Context, ledger *v1alpha1.RequestLedger, reserved []v1alpha1.Reservation,
) ([]v1alpha1.Reservation, error) {
	since := metav1.NewTime(decide.ReservedSince(s.Protocol.Now()))
	sent := ledger.ReachedSince(since, decide.Counts)
	if !slices.ContainsFunc(sent, func(one v1alpha1.Reservation) bool {
		return ledger.IsOpen(one.AttemptID) && !isReserved(reserved, one.AttemptID)
	}) {
		return sent, nil
	}
	var live v1alpha1.RequestLedger
	err := s.Protocol.Live.Get(ctx, client.ObjectKeyFromObject(ledger), &live)
	switch {
	case apierrors.IsNotFound(err):
		return sent, nil
	case err != nil:
		return nil, fmt.Errorf("read RequestLedger %s, to count the requests of the last hour: %w", ledger.Name, err)
	}
	return live.ReachedSince(since, decide.Counts), nil
}

func isReserved(reserved []v1alpha1.Reservation, attemptID string) bool {
	return slices.ContainsFunc(reserved, func(one v1alpha1.Reservation) bool { return one.AttemptID == attemptID })
}

// reserve makes a reservation per attempt id in the login's ledger before the intent. A
// process that is shut down waits for the response, so that the reservation can be released.
func (p *Protocol) reserve(ctx context.Context, scope Scope, submission Submission) (time.Duration, error) {
	if scope.Spending == nil || !submission.Class.Costly() {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateAfter)
	defer cancel()
	pause, err := scope.Spending.Reserve(ctx, submission.Request)
	if err != nil && !apierrors.IsConflict(err) { // it may have been written nevertheless
		p.release(ctx, scope, submission)
	}
	return pause, err
}

// release removes the reservation of an attempt that has no intent and will not be sent.
func (*Protocol) release(ctx context.Context, scope Scope, submission Submission) {
	if scope.Spending == nil || !submission.Class.Costly() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), gateAfter)
	defer cancel()
	scope.Spending.Release(ctx, submission.Request.AttemptID)
}

// releaseUnsent removes the reservation of an attempt if it is recorded as not having reached the
// carrier.
func (*Protocol) releaseUnsent(ctx context.Context, scope Scope, attemptID string) {
	request := attempt(scope.Subject, attemptID)
	if scope.Spending == nil || request == nil || !decide.ReleasesReservation(request) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, gateAfter)
	defer cancel()
	scope.Spending.Release(ctx, attemptID)
}

// NoteFutureTimes remembers which recorded times lie in the future, so that they count as the time
// at which they were first seen, and reports the new ones (R19).
func (p *Protocol) NoteFutureTimes(input *decide.Input, subject Subject) {
	ahead, report := decide.FindFutureTimes(input)
	if len(ahead)+len(input.Memory.FutureTimes) == 0 {
		return
	}
	input.Memory.FutureTimes = ahead
	p.Memory.Change(subject.GetUID(), input.Now, func(memory *decide.Memory) { memory.FutureTimes = ahead })
	if report != "" {
		p.Events.Eventf(subject, nil, corev1.EventTypeWarning, eventTimeAhead, "Judge", "%s", report)
	}
}

// CheckReservations checks the reservations of the login under which an account records. A
// reservation with a time in the future counts from when it was first seen, and is reported (R19).
func (p *Protocol) CheckReservations(
	account *v1alpha1.CarrierAccount, login v1alpha1.CarrierLogin, reservations []v1alpha1.Reservation,
) decide.Spending {
	p.future.mu.Lock()
	elapsed, seen := p.Elapsed(), p.future.sightings(login)
	report := seen.Add(reservations, p.Now(), elapsed)
	seen = maps.Clone(seen)
	p.future.mu.Unlock()
	if report != "" {
		p.Events.Eventf(account, nil, corev1.EventTypeWarning, eventTimeAhead, "Judge", "%s", report)
	}
	return decide.Spending{Future: seen, Elapsed: elapsed}
}

// CheckAllReservations is CheckReservations for all recorded reservations of a login. It
// forgets the sightings of all other reservations of the login.
func (p *Protocol) CheckAllReservations(
	account *v1alpha1.CarrierAccount, login v1alpha1.CarrierLogin, reservations []v1alpha1.Reservation,
) decide.Spending {
	spending := p.CheckReservations(account, login, reservations)
	p.future.mu.Lock()
	defer p.future.mu.Unlock()
	maps.DeleteFunc(p.future.sightings(login), func(id string, _ time.Duration) bool {
		return !slices.ContainsFunc(reservations, func(one v1alpha1.Reservation) bool { return one.AttemptID == id })
	})
	return spending
}

// futureReservations holds, by login, when this process first saw reservations with a time in
// the future.
type futureReservations struct {
	mu sync.Mutex
	by map[v1alpha1.CarrierLogin]decide.FutureReservations
}

// sightings returns the sightings of a login. The lock must be held.
func (s *futureReservations) sightings(login v1alpha1.CarrierLogin) decide.FutureReservations {
	if s.by[login] == nil {
		if s.by == nil {
			s.by = map[v1alpha1.CarrierLogin]decide.FutureReservations{}
		}
		s.by[login] = decide.FutureReservations{}
	}
	return s.by[login]
}
