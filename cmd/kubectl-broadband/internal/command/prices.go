// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

const (
	waitFor   = 5 * time.Minute // the longest wait for a result
	lookPause = time.Second     // between two reads of it
)

// offers reads what the carrier offers for a service, through a PlanOptionsQuery that is removed
// afterwards. A query is free and changes nothing at the carrier.
func (p *planner) offers(
	ctx context.Context, service *v1alpha1.BroadbandService,
) (*v1alpha1.PlanOptionsQuery, error) {
	query := &v1alpha1.PlanOptionsQuery{
		ObjectMeta: metav1.ObjectMeta{Namespace: service.Namespace, GenerateName: "plan-prices-"},
		Spec: v1alpha1.PlanOptionsQuerySpec{
			AccountRef: service.Spec.AccountRef, ServiceID: service.ServiceNumber(),
			TTLAfterFinished: "10m", // removed even if this process is killed
		},
	}
	if err := p.cluster.Create(ctx, query); err != nil {
		return nil, err
	}
	defer p.cluster.Delete(context.WithoutCancel(ctx), query) //nolint:errcheck // its ttlAfterFinished removes it too
	if err := p.await(ctx, p.cluster, query, func() error { return nil }); err != nil {
		return nil, err
	}
	return query, nil
}

// await waits until an object is Ready. It returns an error if the object is stalled, or is not
// Ready after waitFor. It calls seen after each read.
func (t *tool) await(ctx context.Context, cluster *fleet.Cluster, object fleet.Object, seen func() error) error {
	reference := judge.ReferenceTo(object)
	for range waitFor / lookPause {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		if err := seen(); err != nil {
			return err
		}
		ready := judge.Ready(object)
		stalled := judge.Condition(object, v1alpha1.ConditionStalled)
		switch {
		case ready.Status == metav1.ConditionTrue:
			return nil
		case judge.Observed(object) && stalled != nil && stalled.Status == metav1.ConditionTrue:
			return usageError("%s in namespace %s: %s: %s",
				reference.Short(), reference.Namespace, stalled.Reason, stalled.Message)
		}
		if !arrives(ctx, t.Wait(lookPause)) {
			return ctx.Err() //nolint:wrapcheck // the user interrupted it
		}
	}
	return usageError("%s in namespace %s has no result after %s: %s", reference.Short(), reference.Namespace, waitFor,
		reference.Command("status"))
}
