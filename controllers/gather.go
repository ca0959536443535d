// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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
	if err := p.gatherMemory(ctx); err != nil {
		return err
	}
	p.session, p.account.Unusable = p.Accounts.Lease(account, p.subject)
	return nil
}

// gatherMemory reads under which login the requests of the account are recorded, and what this login
// has spent, if the account has a chargeLimit. The reservations may be out of date, but a new one is
// checked against the recorded state when it is made.
func (p *pass) gatherMemory(ctx context.Context) error {
	account := p.account.Object
	own, err := p.loginLedger(ctx, account.Login())
	if err != nil {
		return err
	}
	ledger := own
	if p.account.Continues = own.Continued(); p.account.Continues != nil {
		if ledger, err = p.loginLedger(ctx, *p.account.Continues); err != nil {
			return err
		}
	}
	if account.Spec.ChargeLimit != nil {
		p.account.Spending = p.Protocol.CheckReservations(account, p.account.Memory(), reservationsOf(ledger))
		p.account.Spending.Ledger = ledger
	}
	return nil
}
