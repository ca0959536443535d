// SPDX-License-Identifier: Apache-2.0

package pass

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// probe reads the cancellation of a service of the account, which is free, to learn whether the
// carrier answers. An account without services has nothing to read.
func (p *Pass) probe(ctx context.Context) (time.Duration, error) {
	number, err := p.ProbeTarget(ctx, p.Account.Object)
	switch {
	case err != nil:
		return 0, err
	case number == 0:
		p.Session.Unprobed()
		return 0, nil
	}
	wait, err := p.Session.Prepare(ctx, carrier.ClassQuery)
	if wait > 0 || err != nil {
		return wait, err
	}
	p.Session.Probe(ctx, number)
	return 0, nil
}

// ProbeTarget returns the number of the account's service to read; 0 if there is none.
func (o *Operator) ProbeTarget(ctx context.Context, account *v1alpha1.CarrierAccount) (int64, error) {
	var services v1alpha1.BroadbandServiceList
	err := o.List(ctx, &services, client.InNamespace(account.Namespace),
		client.MatchingFields{index.Account: account.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return 0, fmt.Errorf("look for a service of CarrierAccount %s: %w", account.Name, err)
	}
	for i := range services.Items {
		if id := services.Items[i].ServiceNumber(); id != "" && decide.Listed(account, id) {
			return id.Number(), nil
		}
	}
	return 0, nil
}
