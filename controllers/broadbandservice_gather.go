// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The fields by which services are found: all are selectable at the API server too.
const (
	fieldServiceID = "spec.serviceID"
	fieldLearnedID = "status.serviceID"
	fieldAccount   = "spec.accountRef.name"
)

// Orders tells what is known of the ServiceOrders that services come from.
type Orders interface {
	// Order is what a service takes over from an order; nil when there is no such order.
	Order(ctx context.Context, key client.ObjectKey) (*decide.Order, error)
}

// gatherOrder takes the service's number from its order, once the order has one. It is
// kept in the status: a deleted object must be able to leave without its order.
func (p *servicePass) gatherOrder(ctx context.Context) error {
	if ref := p.service.Spec.OrderRef; ref != nil && p.of.Orders != nil {
		order, err := p.of.Orders.Order(ctx, client.ObjectKey{Namespace: p.service.Namespace, Name: ref.Name})
		if err != nil {
			return fmt.Errorf("read ServiceOrder %s: %w", ref.Name, err)
		}
		p.order = order
	}
	known := p.service.ServiceNumber()
	if known == 0 && p.order != nil && p.order.ServiceID != 0 {
		known, p.named = p.order.ServiceID, true
	}
	p.service.Status.ServiceID = known
	return nil
}

// gatherRival looks for an older object that manages the same service: "Two objects
// for one (account identity, serviceID): the older wins (equal seconds: the lower UID)".
func (p *servicePass) gatherRival(ctx context.Context) error {
	if p.service.ServiceNumber() == 0 || p.account.Object == nil {
		return nil
	}
	others, err := p.others(ctx, strconv.FormatInt(p.service.ServiceNumber(), 10))
	if err != nil {
		return err
	}
	for i := range others {
		if !precedes(&others[i], p.service) {
			p.juniors = others[i:]
			break
		}
		same, err := p.sameIdentity(ctx, &others[i])
		if err != nil {
			return err
		}
		if same {
			p.rival = others[i].Namespace + "/" + others[i].Name
			break
		}
	}
	return nil
}

// others are the other objects for a service id, whosever they are, in their order.
func (p *servicePass) others(ctx context.Context, serviceID string) ([]v1alpha1.BroadbandService, error) {
	var others []v1alpha1.BroadbandService
	for _, field := range []string{fieldServiceID, fieldLearnedID} {
		var services v1alpha1.BroadbandServiceList
		if err := p.List(ctx, &services, client.MatchingFields{field: serviceID}); err != nil {
			return nil, fmt.Errorf("look for other objects of service %s: %w", serviceID, err)
		}
		others = append(others, services.Items...)
	}
	others = slices.DeleteFunc(others, func(other v1alpha1.BroadbandService) bool { return other.UID == p.service.UID })
	slices.SortFunc(others, func(a, b v1alpha1.BroadbandService) int {
		if precedes(&a, &b) {
			return -1
		}
		return 1
	})
	// One that is declared with its number has it in its status too.
	return slices.CompactFunc(others, func(a, b v1alpha1.BroadbandService) bool { return a.UID == b.UID }), nil
}

// precedes orders the objects of one service. One that has a request under way keeps
// its place until that has ended: two never send at once.
func precedes(a, b *v1alpha1.BroadbandService) bool {
	if aOpen, bOpen := len(a.OpenRequests()) > 0, len(b.OpenRequests()) > 0; aOpen != bOpen {
		return aOpen
	}
	if a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.UID < b.UID
	}
	return a.CreationTimestamp.Before(&b.CreationTimestamp)
}

// sameIdentity says whether another object speaks for the same reseller, or has done so.
// An account that does not exist speaks for nobody.
func (p *servicePass) sameIdentity(ctx context.Context, other *v1alpha1.BroadbandService) (bool, error) {
	for i := range other.Status.Requests { // pinned, whatever became of the account
		if other.Status.Requests[i].Identity == p.account.Object.IdentityName() {
			return true, nil
		}
	}
	var account v1alpha1.CarrierAccount
	key := client.ObjectKey{Namespace: other.Namespace, Name: other.Spec.AccountRef.Name}
	if err := p.Get(ctx, key, &account); err != nil {
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return false, fmt.Errorf("read CarrierAccount %s: %w", key, err)
	}
	return account.IdentityName() == p.account.Object.IdentityName(), nil
}
