// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
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
	p.session, p.account.Unusable = p.Accounts.Lease(account, v1alpha1.ShortName(p.subject), p.subject.GetName())
	if p.session == nil {
		return nil // no decision is made until the account can be used
	}
	return p.gatherSpending(ctx)
}

// gatherSpending reads the identity's reservations, if the account has a chargeLimit. They may be
// out of date, but a new reservation is checked against the recorded state when it is made.
func (p *pass) gatherSpending(ctx context.Context) error {
	account := p.account.Object
	if account.Spec.ChargeLimit == nil {
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
	p.account.Spending = p.Protocol.CheckReservations(account, reservationsOf(ledger))
	p.account.Spending.Ledger = ledger
	return nil
}
