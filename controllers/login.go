// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// loginLedger returns the ledger of a login; nil when there is none.
func (o *Operator) loginLedger(ctx context.Context, login v1alpha1.CarrierLogin) (*v1alpha1.RequestLedger, error) {
	ledger, _, err := o.Ledgers.Get(ctx, decide.LoginLedgerName(login), 0)
	if err != nil {
		return nil, fmt.Errorf("look for what is shared by the accounts with %s: %w", login, err)
	}
	return ledger, nil
}

// memoryOf returns the login under which the requests of a login are recorded.
func (o *Operator) memoryOf(ctx context.Context, login v1alpha1.CarrierLogin) (v1alpha1.CarrierLogin, error) {
	ledger, err := o.loginLedger(ctx, login)
	if continued := ledger.Continued(); err == nil && continued != nil {
		return *continued, nil
	}
	return login, err
}

// newLoginLedger returns the ledger of a login to create.
func (o *Operator) newLoginLedger(
	ctx context.Context, login v1alpha1.CarrierLogin,
) (*v1alpha1.RequestLedger, error) {
	here, err := o.Marker.Installation(ctx)
	if err != nil {
		return nil, err
	}
	return newLedger(decide.LoginLedgerName(login), v1alpha1.RequestLedgerSpec{
		Cluster: here.Cluster, Login: login, Account: &v1alpha1.LedgerAccount{},
	}), nil
}

// ownRecords returns the ledger of a login as recorded now; nil when there is none. It fails with a
// conflict if the login has come to continue another one, because its requests are recorded there.
func (o *Operator) ownRecords(ctx context.Context, login v1alpha1.CarrierLogin) (*v1alpha1.RequestLedger, error) {
	ledger, _, err := o.Ledgers.GetLive(ctx, decide.LoginLedgerName(login))
	if err == nil && ledger.Continued() != nil {
		return nil, operate.ContinuesAnother(ledger.Name)
	}
	return ledger, err
}

// mayCreate fails if a ledger may not be created: the marker is gone, or the login of the ledger
// continues another one. Before the first ledger of a login is created, the login's own ledger says
// so, which the API server's compare-and-swap decides against a continuation at the same time.
func (o *Operator) mayCreate(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	if err := o.Marker.Verify(ctx); err != nil || ledger.Spec.Account != nil {
		return err
	}
	return o.claimRecords(ctx, ledger.Spec.Login)
}

// claimRecords records that a login has records of its own. That never changes, so a cached ledger
// that says so is enough.
func (o *Operator) claimRecords(ctx context.Context, login v1alpha1.CarrierLogin) error {
	ledger, err := o.loginLedger(ctx, login)
	if err != nil || hasOwnRecords(ledger) {
		return err
	}
	o.claiming.Lock() // the workers that need it at the same time write it once
	defer o.claiming.Unlock()
	if ledger, err = o.ownRecords(ctx, login); err != nil || hasOwnRecords(ledger) {
		return err
	}
	if ledger == nil {
		if ledger, err = o.newLoginLedger(ctx, login); err != nil {
			return err
		}
	}
	ledger.Spec.Account.OwnRecords = true
	return o.Ledgers.Write(ctx, ledger)
}

func hasOwnRecords(ledger *v1alpha1.RequestLedger) bool {
	return ledger != nil && ledger.Spec.Account.OwnRecords
}
