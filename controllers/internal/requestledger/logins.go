// SPDX-License-Identifier: Apache-2.0

package requestledger

import (
	"context"
	"fmt"
	"sync"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Logins reads and writes the ledgers of logins: what the accounts with one login share.
type Logins struct {
	Ledgers      *Store
	Installation func(context.Context) (decide.Installation, error)
	VerifyMarker func(context.Context) error // fails if no ledger may be created

	claiming sync.Mutex // held while the ledger of a login records that the login has records
}

// Get returns the ledger of a login; nil when there is none.
func (l *Logins) Get(ctx context.Context, login v1alpha1.CarrierLogin) (*v1alpha1.RequestLedger, error) {
	ledger, _, err := l.Ledgers.Get(ctx, decide.LoginLedgerName(login), 0)
	if err != nil {
		return nil, fmt.Errorf("look for what is shared by the accounts with %s: %w", login, err)
	}
	return ledger, nil
}

// RecordsOf returns the login under which the requests of a login are recorded.
func (l *Logins) RecordsOf(ctx context.Context, login v1alpha1.CarrierLogin) (v1alpha1.CarrierLogin, error) {
	ledger, err := l.Get(ctx, login)
	if continued := ledger.Continued(); err == nil && continued != nil {
		return *continued, nil
	}
	return login, err
}

// New returns the ledger of a login to create.
func (l *Logins) New(
	ctx context.Context, login v1alpha1.CarrierLogin,
) (*v1alpha1.RequestLedger, error) {
	here, err := l.Installation(ctx)
	if err != nil {
		return nil, err
	}
	return New(decide.LoginLedgerName(login), v1alpha1.RequestLedgerSpec{
		Cluster: here.Cluster, Login: login, Account: &v1alpha1.LedgerAccount{},
	}), nil
}

// GetOwn returns the ledger of a login as recorded now; nil when there is none. If the login now
// continues another one, which records its requests, it fails with a conflict.
func (l *Logins) GetOwn(ctx context.Context, login v1alpha1.CarrierLogin) (*v1alpha1.RequestLedger, error) {
	ledger, _, err := l.Ledgers.GetLive(ctx, decide.LoginLedgerName(login))
	if err == nil && ledger.Continued() != nil {
		return nil, conflict(ledger.Name, errContinues)
	}
	return ledger, err
}

// MayCreate fails if a ledger may not be created: the marker is gone, or the login of the ledger
// continues another one. Before the first ledger of a login is created, the login's own ledger
// records that. The API server's compare-and-swap thus rules out a continuation at the same time.
func (l *Logins) MayCreate(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	if err := l.VerifyMarker(ctx); err != nil || ledger.Spec.Account != nil {
		return err
	}
	return l.ClaimRecords(ctx, ledger.Spec.Login)
}

// ClaimRecords records that a login has records of its own. That never changes, so a cached ledger
// that says so is enough.
func (l *Logins) ClaimRecords(ctx context.Context, login v1alpha1.CarrierLogin) error {
	ledger, err := l.Get(ctx, login)
	if err != nil || hasOwnRecords(ledger) {
		return err
	}
	l.claiming.Lock() // the workers that need it at the same time write it once
	defer l.claiming.Unlock()
	if ledger, err = l.GetOwn(ctx, login); err != nil || hasOwnRecords(ledger) {
		return err
	}
	if ledger == nil {
		if ledger, err = l.New(ctx, login); err != nil {
			return err
		}
	}
	ledger.Spec.Account.OwnRecords = true
	return l.Ledgers.Write(ctx, ledger)
}

func hasOwnRecords(ledger *v1alpha1.RequestLedger) bool {
	return ledger != nil && ledger.Spec.Account.OwnRecords
}
