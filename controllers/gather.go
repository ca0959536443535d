// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// gatherAccount reads the account and opens its session.
func (p *pass) gatherAccount(ctx context.Context) error {
	account := &v1alpha1.CarrierAccount{}
	key := client.ObjectKey{Namespace: p.subject.GetNamespace(), Name: p.subject.AccountName()}
	if err := p.Get(ctx, key, account); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("read CarrierAccount %s: %w", key.Name, err)
	}
	p.account.Object = account
	p.session, p.account.Unusable = p.Accounts.Lease(account, p.subject)
	if p.session == nil {
		return nil // no decision is made until the account can be used
	}
	return p.gatherSpending(ctx)
}

// gatherSpending reads the identity's reservations, if the account has a chargeLimit. They may be
// out of date, but a new reservation is checked against the recorded state when it is made. If a
// person has confirmed that the carrier has only changed its address, the identity's ledger is moved
// whether there is a limit or not, because one may be set later.
func (p *pass) gatherSpending(ctx context.Context) error {
	account := p.account.Object
	if account.Spec.ChargeLimit == nil && !decide.ConfirmsCarrier(p.subject) {
		return nil
	}
	ledger, _, err := p.Ledgers.Get(ctx, operate.LedgerName(identitySpec(account)), 0)
	if errors.Is(err, operate.ErrLedgerDamaged) {
		p.account.Spending.Damaged = err
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for what identity %s has spent: %w", account.IdentityName(), err)
	}
	if ledger, err = p.moveIdentity(ctx, ledger); err != nil {
		return err
	}
	p.account.Spending = p.Protocol.CheckReservations(account, reservationsOf(ledger))
	p.account.Spending.Ledger = ledger
	return nil
}

// moveIdentity changes the base URL of the identity's ledger to that of the account, if a person has
// confirmed for this object that both are the same carrier. It keeps the reservations, and a
// reservation that is made meanwhile conflicts with its write: no request is sent uncounted.
func (p *pass) moveIdentity(ctx context.Context, ledger *v1alpha1.RequestLedger) (*v1alpha1.RequestLedger, error) {
	input := decide.Input{Subject: p.subject, Account: p.account, Now: p.Protocol.Now(), Installation: p.here}
	if !decide.MovesIdentity(&input, ledger) {
		return ledger, nil
	}
	resolution, err := p.resolution(ctx)
	if err != nil {
		return nil, err
	}
	err = retry.RetryOnConflict(onConflict(), func() (err error) {
		if ledger, _, err = p.Ledgers.GetLive(ctx, ledger.Name); err != nil || !decide.MovesIdentity(&input, ledger) {
			return err // another object has moved it
		}
		was := ledger.Spec.BaseURL
		ledger.Move(p.account.Object.Spec.BaseURL, *resolution)
		if err = p.Ledgers.Write(ctx, ledger); err == nil {
			p.announceMove(ledger, was)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("move the ledger of identity %s: %w", p.account.Object.IdentityName(), err)
	}
	return ledger, nil
}

// announceMove emits an Event for a ledger that has moved to another address.
func (p *pass) announceMove(ledger *v1alpha1.RequestLedger, was string) {
	p.Protocol.Events.Eventf(p.subject, nil, corev1.EventTypeNormal, eventMoved, "Resolve",
		"the carrier of RequestLedger %s has moved from %s to %s", ledger.Name, was, ledger.Spec.BaseURL)
}
