// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// checkRecovery makes a free read if the carrier does not answer and a read is due. If the carrier
// answers again, the account and its objects are reconciled.
func (r *Reconciler) checkRecovery(
	ctx context.Context, account *v1alpha1.CarrierAccount,
) (ctrl.Result, error) {
	session, err := r.Sessions.Lease(account, account)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("use CarrierAccount %s: %w", account.Name, err)
	}
	defer session.Release()
	if at, now := session.RecoveryAt(), r.Protocol.Now(); at.IsZero() || now.Before(at) {
		return status.Exit(now, at), nil
	}
	service, err := r.ProbeTarget(ctx, account)
	if err != nil {
		return ctrl.Result{}, err
	}
	wait, err := session.Prepare(ctx, carrier.ClassQuery)
	if err != nil {
		return pass.RetryAfter(err)
	}
	if wait > 0 {
		return status.Exit(r.Protocol.Now(), r.Protocol.Now().Add(wait)), nil
	}
	return status.Exit(r.Protocol.Now(), session.CheckRecovery(ctx, service)), nil
}

// requireLedger makes an account Ready only if the ledger of its login can be used. It creates the
// ledger if there is none and requests may be sent. Nothing is sent for the account before that.
func (r *Reconciler) requireLedger(
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
		if ledger, err = r.Logins.Get(ctx, *account.Status.Continues); err != nil {
			return login, err
		}
	}
	if why := decide.WhyLoginUnusable(ledger, here); why != nil {
		return *why, nil
	}
	return login, nil
}

// ensureLoginLedger returns the ledger of a login, and creates it if there is none. The API
// server decides which manager or account creates it. It returns nil if it may not create one.
func (r *Reconciler) ensureLoginLedger(
	ctx context.Context, login v1alpha1.CarrierLogin, here decide.Installation,
) (*v1alpha1.RequestLedger, error) {
	ledger, err := r.Logins.Get(ctx, login)
	if ledger != nil || err != nil || !r.Submit || here.ForbidsNewLedgers() {
		return ledger, err
	}
	if ledger, err = r.Logins.New(ctx, login); err != nil {
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

// sharing returns the other accounts whose rates count for the login of an account. After a
// start, these include accounts that are shown as Ready and were not checked yet, so that the
// shown rate does not change with each start.
func (r *Reconciler) sharing(
	ctx context.Context, account *v1alpha1.CarrierAccount,
) ([]*v1alpha1.CarrierAccount, error) {
	var all v1alpha1.CarrierAccountList
	by := client.MatchingFields{index.AccountLogin: index.LoginKey(account.Login())}
	if err := r.List(ctx, &all, by, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("look for the other accounts of clientName %s: %w", account.Spec.Auth.ClientName, err)
	}
	var others []*v1alpha1.CarrierAccount
	for i := range all.Items {
		other := &all.Items[i]
		if other.UID != account.UID && (r.Sessions.IsProven(other) || decide.IsShownReady(other)) {
			others = append(others, other)
		}
	}
	return others, nil
}
