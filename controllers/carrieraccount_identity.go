// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// requireIdentity makes an account Ready only after its identity was checked and, if requests may
// be sent, its login was recorded under it. Nothing is sent for the account before that.
func (r *CarrierAccountReconciler) requireIdentity(
	ctx context.Context, account *v1alpha1.CarrierAccount, login decide.Verdict,
) (decide.Verdict, error) {
	verdict, err := r.identify(ctx, account)
	if verdict != nil {
		return *verdict, err
	}
	return login, err
}

// identify records the login if that is necessary, or returns why nothing may be sent for the
// account.
func (r *CarrierAccountReconciler) identify(
	ctx context.Context, account *v1alpha1.CarrierAccount,
) (*decide.Verdict, error) {
	here, err := r.Marker.Installation(ctx)
	if err != nil {
		return nil, err
	}
	if lost, err := r.foreignIdentity(ctx, account, here); lost != nil || err != nil {
		return lost, err
	}
	var ledgers v1alpha1.RequestLedgerList
	if err := r.List(ctx, &ledgers, client.MatchingFields{fieldLogin: loginKey(account.Login())}); err != nil {
		return nil, fmt.Errorf("look for the identity of clientName %s: %w", account.Spec.Auth.ClientName, err)
	}
	verdict, record := decide.JudgeIdentity(account, ledgers.Items)
	if !record || !r.Submit || here.ForbidsNewLedgers() {
		return verdict, nil
	}
	return nil, r.recordLogin(ctx, account)
}

// foreignIdentity returns why nothing may be sent for an identity whose ledger belongs to another
// cluster.
func (r *CarrierAccountReconciler) foreignIdentity(
	ctx context.Context, account *v1alpha1.CarrierAccount, here decide.Installation,
) (*decide.Verdict, error) {
	ledger, _, err := r.Ledgers.Get(ctx, operate.LedgerName(identitySpec(account)), 0)
	switch {
	case errors.Is(err, operate.ErrLedgerDamaged):
		return new(decide.DamagedLedger(err)), nil
	case err != nil:
		return nil, fmt.Errorf("look for what identity %s has sent: %w", account.IdentityName(), err)
	}
	return decide.ForeignIdentity(ledger, here), nil
}

// recordLogin writes the login to the ledger of the identity.
func (r *CarrierAccountReconciler) recordLogin(ctx context.Context, account *v1alpha1.CarrierAccount) error {
	spent := &spending{Operator: r.Operator, account: account}
	err := retry.RetryOnConflict(onConflict(), func() error {
		ledger, _, err := spent.currentLedger(ctx)
		if err != nil || ledger.Spec.Account.Knows(account.Login()) {
			return err
		}
		ledger.Spec.Account.Learn(account.Login())
		return r.Ledgers.Write(ctx, ledger)
	})
	if err != nil {
		return fmt.Errorf("record clientName %s of identity %s: %w",
			account.Spec.Auth.ClientName, account.IdentityName(), err)
	}
	return nil
}
