// SPDX-License-Identifier: Apache-2.0

package installation

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
)

// wakeUp says that the state of the admission policies has changed.
type wakeUp = event.TypedGenericEvent[struct{}]

// Waiting returns a source of the objects of a list that wait for an approval or for the policies.
// They are reconciled when the state of the policies changes.
func (c *Policies) Waiting(list client.ObjectList) source.Source {
	wakes := make(chan wakeUp, 1)
	c.wakes = append(c.wakes, wakes)
	find := func(ctx context.Context, _ struct{}) []reconcile.Request {
		all := apiserver.Empty(list)
		if err := c.List(ctx, all, client.UnsafeDisableDeepCopy); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "cannot list the objects that wait for the admission policies")
			return nil
		}
		return waitingIn(all)
	}
	return source.TypedChannel(wakes, handler.TypedEnqueueRequestsFromMapFunc(find))
}

// waitingIn returns the objects of a list with a condition that waits for an approval or for the
// policies.
func waitingIn(list client.ObjectList) []reconcile.Request {
	var requests []reconcile.Request
	waits := func(condition metav1.Condition) bool {
		return condition.Reason == v1alpha1.ReasonPolicyMissing || condition.Reason == v1alpha1.ReasonAwaitingApproval
	}
	err := meta.EachListItem(list, func(item runtime.Object) error {
		object, is := item.(interface {
			client.Object
			v1alpha1.Described
		})
		if !is {
			return nil
		}
		if conditions, _ := object.Describes(); slices.ContainsFunc(*conditions, waits) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
		}
		return nil
	})
	if err != nil {
		ctrl.Log.Error(err, "cannot go through the objects that wait for the admission policies")
	}
	return requests
}
