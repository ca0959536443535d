// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// probe reads the cancellation of a service of the account, which is free, to learn whether the
// carrier answers. An account without services has nothing to read.
func (p *pass) probe(ctx context.Context) (time.Duration, error) {
	number, err := p.probeTarget(ctx)
	switch {
	case err != nil:
		return 0, err
	case number == 0:
		p.session.Unprobed()
		return 0, nil
	}
	wait, err := p.session.Prepare(ctx, carrier.CallPoll)
	if wait > 0 || err != nil {
		return wait, err
	}
	p.session.Probe(ctx, number)
	return 0, nil
}

// probeTarget returns the number of the service to read; 0 if there is none.
func (p *pass) probeTarget(ctx context.Context) (int64, error) {
	var services v1alpha1.BroadbandServiceList
	err := p.List(ctx, &services, client.InNamespace(p.subject.GetNamespace()),
		client.MatchingFields{fieldAccount: p.subject.AccountName()}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return 0, fmt.Errorf("look for a service of CarrierAccount %s: %w", p.subject.AccountName(), err)
	}
	for i := range services.Items {
		if id := services.Items[i].ServiceNumber(); id != "" && decide.Listed(p.account.Object, id) {
			return id.Number(), nil
		}
	}
	return 0, nil
}
