// SPDX-License-Identifier: Apache-2.0

// Package cache imitates the cache of a manager, for tests that count what is listed and copied.
package cache

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
)

// Cache returns objects as a manager's cache does: a list contains the objects themselves,
// not copies, and is limited by the fields that are indexed.
type Cache struct {
	client.Client

	Services map[types.NamespacedName]*v1alpha1.BroadbandService
	Lists    map[string][]runtime.Object // by type of the list
	Fails    error                       // of every list
}

// List lists objects, which must not be copied.
func (c *Cache) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	held := c.Lists[fmt.Sprintf("%T", list)]
	applied := client.ListOptions{}
	applied.ApplyOptions(options)
	if applied.UnsafeDisableDeepCopy == nil || !*applied.UnsafeDisableDeepCopy {
		return fmt.Errorf("a %T may be long, and must not be copied", list)
	}
	if applied.FieldSelector != nil {
		for _, by := range applied.FieldSelector.Requirements() {
			lacks := func(one runtime.Object) bool { return !hasField(ctx, one, by.Field, by.Value) }
			held = slices.DeleteFunc(slices.Clone(held), lacks)
		}
	}
	return errors.Join(c.Fails, meta.SetList(list, held))
}

// indexes are the fields that the controllers list by, by the type of the object.
type indexes map[string]client.IndexerFunc

// IndexField keeps a field.
func (i indexes) IndexField(_ context.Context, of client.Object, field string, values client.IndexerFunc) error {
	i[fmt.Sprintf("%T %s", of, field)] = values
	return nil
}

// hasField reports whether an object has a value in an indexed field.
func hasField(ctx context.Context, of runtime.Object, field, value string) bool {
	object, isObject := of.(client.Object)
	known := indexes{}
	if err := index.Fields(ctx, known); err != nil || !isObject {
		return false
	}
	values := known[fmt.Sprintf("%T %s", of, field)]
	return values != nil && slices.Contains(values(object), value)
}

// Get reads a service.
func (c *Cache) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	service, is := into.(*v1alpha1.BroadbandService)
	if found := c.Services[key]; is && found != nil {
		found.DeepCopyInto(service)
		return nil
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// Fleet returns a cache of services with their ledgers. Every tenth has an open request, and for every
// hundredth of those the service no longer exists.
func Fleet(services int, now time.Time) *Cache {
	held := &Cache{
		Services: map[types.NamespacedName]*v1alpha1.BroadbandService{}, Lists: map[string][]runtime.Object{},
	}
	serviceList, ledgerList := "*v1alpha1.BroadbandServiceList", "*v1alpha1.RequestLedgerList"
	for i := range services {
		name := types.NamespacedName{Namespace: "sites", Name: fmt.Sprintf("site-%05d", i)}
		service := &v1alpha1.BroadbandService{}
		service.Namespace, service.Name, service.UID = name.Namespace, name.Name, types.UID(name.Name)
		service.Status.Conditions = []metav1.Condition{
			{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInSync},
			{Type: v1alpha1.ConditionPlanSynced, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInSync},
			{Type: v1alpha1.ConditionHealthy, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonHealthGood},
		}
		ledger := &v1alpha1.RequestLedger{}
		ledger.Spec.Holder = v1alpha1.LedgerHolder{Namespace: name.Namespace, Name: name.Name, UID: name.Name}
		if i%10 == 0 {
			open := v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseInProgress,
				SubmittedAt: metav1.NewTime(now.Add(-time.Duration(i) * time.Second)),
			}
			service.Status.Requests, ledger.Spec.Open = []v1alpha1.Request{open}, []v1alpha1.Request{open}
		}
		held.Lists[ledgerList] = append(held.Lists[ledgerList], ledger)
		if i%1000 == 0 {
			continue // it is deleted
		}
		held.Services[name] = service
		held.Lists[serviceList] = append(held.Lists[serviceList], service)
	}
	return held
}
