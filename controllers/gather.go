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
	p.session, p.account.Unusable = p.Accounts.Lease(account, v1alpha1.ShortName(p.subject), p.subject.GetName())
	if p.session == nil {
		return nil // no decision is made until the account can be used
	}
	return p.gatherSpending(ctx)
}
