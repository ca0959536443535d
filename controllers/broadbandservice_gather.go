// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The fields by which services are found. The API server supports all of them as field selectors,
// too.
const (
	fieldServiceID = "spec.serviceID"
	fieldLearnedID = "status.serviceID"
	fieldAccount   = "spec.accountRef.name"
)

// Orders reads the ServiceOrders that services come from.
type Orders interface {
	// Order returns what a service takes over from an order; nil if there is no such order.
	Order(ctx context.Context, key client.ObjectKey) (*decide.Order, error)
}

// gatherOrder takes the service's number from its order, once the order has one. The number is kept
// in the status, because the order may be deleted.
func (p *servicePass) gatherOrder(ctx context.Context) error {
	if ref := p.service.Spec.OrderRef; ref != nil && p.of.Orders != nil {
		order, err := p.of.Orders.Order(ctx, client.ObjectKey{Namespace: p.service.Namespace, Name: ref.Name})
		if err != nil {
			return fmt.Errorf("read ServiceOrder %s: %w", ref.Name, err)
		}
		p.order = order
	}
	known := p.service.ServiceNumber()
	if known == "" && p.order != nil {
		known = p.order.ServiceID
	}
	p.service.Status.ServiceID = known
	return nil
}
