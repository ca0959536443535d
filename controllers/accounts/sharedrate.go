// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// sharing returns the other accounts whose rates count for the login of an account. After a start
// these include the accounts that are shown as Ready and whose turn has not come yet, so that what is
// shown of the rate does not change with each start.
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
