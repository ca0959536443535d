// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// GatherAccount reads the account and opens its session. Until the carrier has accepted a token of the
// account, the pass takes no step and uses no ledger: nothing that belongs to a login is read, shown,
// created or moved for an account that has not proven to hold the login's key.
func (p *Pass) GatherAccount(ctx context.Context) error {
	account := &v1alpha1.CarrierAccount{}
	key := client.ObjectKey{Namespace: p.Subject.GetNamespace(), Name: p.Subject.AccountName()}
	if err := p.Get(ctx, key, account); err != nil {
		if apierrors.IsNotFound(err) {
			p.Account.Unproven = true
			return nil
		}
		return fmt.Errorf("read CarrierAccount %s: %w", key.Name, err)
	}
	p.Account.Object = account
	p.Session, p.Account.Unusable = p.Sessions.Lease(account, p.Subject)
	if err := p.gatherProof(ctx); err != nil || p.Account.Unproven {
		return err
	}
	return p.gatherMemory(ctx)
}

// gatherProof finds out whether the carrier has accepted a token of the account in this process. The
// first pass of a new process over an object of a Ready account makes the free call that shows it.
func (p *Pass) gatherProof(ctx context.Context) error {
	p.Account.Unproven = p.Session == nil || !p.Session.IsProven()
	if !decide.MayProve(&p.Account) {
		return nil
	}
	wait, err := p.Session.Prove(ctx)
	if _, none := errors.AsType[*sessions.LoginError](err); none {
		wait, err = loginPause, nil
	}
	p.Account.Unproven = wait > 0
	p.Account.ProvenAt = p.Protocol.Now().Add(wait)
	return err
}

// gatherMemory reads under which login the requests of the account are recorded, and what this login
// has spent, if the account has a chargeLimit. The reservations may be out of date, but a new one is
// checked against the recorded state when it is made.
func (p *Pass) gatherMemory(ctx context.Context) error {
	account := p.Account.Object
	own, err := p.Logins.Get(ctx, account.Login())
	if err != nil {
		return err
	}
	ledger := own
	if p.Account.Continues = own.Continued(); p.Account.Continues != nil {
		if ledger, err = p.Logins.Get(ctx, *p.Account.Continues); err != nil {
			return err
		}
	}
	if account.Spec.ChargeLimit != nil {
		p.Account.Spending = p.Protocol.CheckReservations(account, p.Account.Memory(), operate.ReservationsIn(ledger))
		p.Account.Spending.Ledger = ledger
	}
	return nil
}
