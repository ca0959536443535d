// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// createMarker creates the marker as the first operator would. Managers of this control plane start
// among the objects of other tests.
func (c *ControlPlane) createMarker(ctx context.Context) error {
	cluster, err := c.Cluster(ctx)
	if err != nil {
		return err
	}
	return c.Client.Create(ctx, &v1alpha1.RequestLedger{
		ObjectMeta: metav1.ObjectMeta{Name: v1alpha1.MarkerName, Finalizers: []string{v1alpha1.FinalizerMemory}},
		Spec: v1alpha1.RequestLedgerSpec{
			Schema: v1alpha1.LedgerSchema, Revision: 1, Cluster: cluster,
			Marker: &v1alpha1.LedgerMarker{Clusters: []string{cluster}},
		},
	})
}

// Cluster returns the UID of the cluster, once the API server has created the namespace that has
// it.
func (c *ControlPlane) Cluster(ctx context.Context) (string, error) {
	const often = 100 * time.Millisecond
	var system corev1.Namespace
	err := wait.PollUntilContextTimeout(ctx, often, planeTimeout, true, func(ctx context.Context) (bool, error) {
		err := c.Client.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, &system)
		return err == nil, client.IgnoreNotFound(err)
	})
	if err != nil {
		return "", fmt.Errorf("wait for the namespace %s: %w", metav1.NamespaceSystem, err)
	}
	return string(system.UID), nil
}
