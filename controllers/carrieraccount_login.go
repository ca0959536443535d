// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// requireLedger makes an account Ready only if the ledger of its login can be used. It creates the
// ledger if there is none and requests may be sent. Nothing is sent for the account before that.
func (r *CarrierAccountReconciler) requireLedger(
	ctx context.Context, account *v1alpha1.CarrierAccount, login decide.Verdict,
) (decide.Verdict, error) {
	here, err := r.Marker.Installation(ctx)
	if err != nil {
		return login, err
	}
	ledger, err := r.ensureLoginLedger(ctx, account.Login(), here)
	if err != nil {
		return login, err
	}
	if account.Status.Continues = ledger.Continued(); account.Status.Continues != nil {
		if ledger, err = r.loginLedger(ctx, *account.Status.Continues); err != nil {
			return login, err
		}
	}
	if why := decide.WhyLoginUnusable(ledger, here); why != nil {
		return *why, nil
	}
	return login, nil
}

// ensureLoginLedger returns the ledger of a login, and creates it if there is none. The API server
// decides which of two managers, or of two accounts, creates it. It is nil if it may not be created.
func (r *CarrierAccountReconciler) ensureLoginLedger(
	ctx context.Context, login v1alpha1.CarrierLogin, here decide.Installation,
) (*v1alpha1.RequestLedger, error) {
	ledger, err := r.loginLedger(ctx, login)
	if ledger != nil || err != nil || !r.Submit || here.ForbidsNewLedgers() {
		return ledger, err
	}
	if ledger, err = r.newLoginLedger(ctx, login); err != nil {
		return nil, err
	}
	if err = r.Ledgers.Write(ctx, ledger); apierrors.IsConflict(err) { // it exists, and the cache is behind
		ledger, _, err = r.Ledgers.GetLive(ctx, ledger.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("create the RequestLedger of what is shared by the accounts with %s: %w", login, err)
	}
	return ledger, nil
}
