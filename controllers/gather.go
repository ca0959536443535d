// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/accounts"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// gatherAccount reads the account and opens its session. Until the carrier has accepted a token of the
// account, the pass takes no step and uses no ledger: nothing that belongs to a login is read, shown,
// created or moved for an account that has not proven to hold the login's key.
func (p *pass) gatherAccount(ctx context.Context) error {
	account := &v1alpha1.CarrierAccount{}
	key := client.ObjectKey{Namespace: p.subject.GetNamespace(), Name: p.subject.AccountName()}
	if err := p.Get(ctx, key, account); err != nil {
		if apierrors.IsNotFound(err) {
			p.account.Unproven = true
			return nil
		}
		return fmt.Errorf("read CarrierAccount %s: %w", key.Name, err)
	}
	p.account.Object = account
	p.session, p.account.Unusable = p.Accounts.Lease(account, p.subject)
	if err := p.gatherProof(ctx); err != nil || p.account.Unproven {
		return err
	}
	return p.gatherMemory(ctx)
}

// gatherProof finds out whether the carrier has accepted a token of the account in this process. The
// first pass of a new process over an object of a Ready account makes the free call that shows it.
func (p *pass) gatherProof(ctx context.Context) error {
	p.account.Unproven = p.session == nil || !p.session.IsProven()
	if !decide.MayProve(&p.account) {
		return nil
	}
	wait, err := p.session.Prove(ctx)
	if _, none := errors.AsType[*accounts.LoginError](err); none {
		wait, err = loginPause, nil
	}
	p.account.Unproven = wait > 0
	p.account.ProvenAt = p.Protocol.Now().Add(wait)
	return err
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
