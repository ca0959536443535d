// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
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
	p.session, p.account.Unusable = p.Accounts.Visit(account, v1alpha1.ShortName(p.subject))
	if p.session == nil {
		return nil // the judgement waits until the account can be used
	}
	p.account.BreakerUntil = p.session.BreakerUntil()
	return p.gatherCharges(ctx)
}

// gatherCharges counts what the identity has spent in the last hour, where that is limited.
func (p *pass) gatherCharges(ctx context.Context) error {
	if p.account.Object.Spec.ChargeLimit == nil {
		return nil
	}
	since := metav1.NewTime(p.Protocol.Now().Add(-time.Hour))
	var ledgers v1alpha1.RequestLedgerList
	err := p.List(ctx, &ledgers, client.MatchingFields{fieldIdentity: p.account.Object.IdentityName()})
	if err != nil {
		return fmt.Errorf("count the requests of the last hour: %w", err)
	}
	for i := range ledgers.Items {
		p.account.ChargedLastHour += ledgers.Items[i].ReachedSince(since, costs)
	}
	return nil
}

func costs(operation v1alpha1.Operation) bool {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.Repeat == carrier.ClassCharge || contract.Repeat == carrier.ClassNever
}
