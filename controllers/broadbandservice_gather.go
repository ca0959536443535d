// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The fields by which services are found: all are selectable at the API server too.
const (
	fieldServiceID = "spec.serviceID"
	fieldLearnedID = "status.serviceID"
	fieldAccount   = "spec.accountRef.name"
)

// gatherAccount reads the account and opens its session.
func (p *servicePass) gatherAccount(ctx context.Context) error {
	account := &v1alpha1.CarrierAccount{}
	key := client.ObjectKey{Namespace: p.service.Namespace, Name: p.service.Spec.AccountRef.Name}
	if err := p.Get(ctx, key, account); err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("read CarrierAccount %s: %w", key.Name, err)
	}
	p.account.Object = account
	p.session, p.account.Unusable = p.Accounts.Session(account)
	if p.session == nil {
		return nil // the judgement waits until the account can be used
	}
	p.account.BreakerUntil = p.session.BreakerUntil()
	return p.gatherCharges(ctx)
}

// gatherCharges counts what the account has spent in the last hour, where that is limited.
func (p *servicePass) gatherCharges(ctx context.Context) error {
	if p.account.Object.Spec.ChargeLimit == nil {
		return nil
	}
	var services v1alpha1.BroadbandServiceList
	err := p.List(ctx, &services, client.InNamespace(p.service.Namespace),
		client.MatchingFields{fieldAccount: p.account.Object.Name})
	if err != nil {
		return fmt.Errorf("count the requests of the last hour: %w", err)
	}
	since := metav1.NewTime(p.Protocol.Now().Add(-time.Hour))
	for i := range services.Items {
		p.account.ChargedLastHour += charges(&services.Items[i], since)
	}
	return nil
}

// charges counts the requests of class Charge or Never that a service has sent since:
// the newest of each operation, and the older ones that ended.
func charges(service *v1alpha1.BroadbandService, since metav1.Time) int {
	sent := map[metav1.Time]bool{} // the newest of an operation is in the history too once it has ended
	for _, request := range service.Status.Requests {
		if costs(request.Operation) && mayBeOut(request.Phase) && since.Before(&request.SubmittedAt) {
			sent[request.SubmittedAt] = true
		}
	}
	for _, ended := range service.Status.History {
		if costs(ended.Operation) && since.Before(&ended.SubmittedAt) {
			sent[ended.SubmittedAt] = true
		}
	}
	return len(sent)
}

// mayBeOut says whether an attempt in this phase may have been taken by the carrier.
func mayBeOut(phase v1alpha1.RequestPhase) bool {
	return phase != v1alpha1.PhaseNotSent && phase != v1alpha1.PhaseNotProcessed
}

func costs(operation v1alpha1.Operation) bool {
	contract, _ := carrier.ContractOf(carrier.Operation(operation))
	return contract.Repeat == carrier.ClassCharge || contract.Repeat == carrier.ClassNever
}

// Orders tells what is known of the ServiceOrders that services come from.
type Orders interface {
	// Order is what a service takes over from an order; nil when there is no such order.
	Order(ctx context.Context, key client.ObjectKey) (*decide.Order, error)
}

// gatherOrder takes the service's number from its order, once the order has one. It is
// kept in the status: a deleted object must be able to leave without its order.
func (p *servicePass) gatherOrder(ctx context.Context) error {
	if ref := p.service.Spec.OrderRef; ref != nil && p.Orders != nil {
		order, err := p.Orders.Order(ctx, client.ObjectKey{Namespace: p.service.Namespace, Name: ref.Name})
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
	elders, err := p.elders(ctx, strconv.FormatInt(p.service.ServiceNumber(), 10))
	if err != nil {
		return err
	}
	for i := range elders {
		same, err := p.sameIdentity(ctx, &elders[i])
		if err != nil {
			return err
		}
		if same {
			p.rival = elders[i].Namespace + "/" + elders[i].Name
			break
		}
	}
	return nil
}

// elders are the objects for a service id that come before this one, whosever they are,
// the first of them first.
func (p *servicePass) elders(ctx context.Context, serviceID string) ([]v1alpha1.BroadbandService, error) {
	var elders []v1alpha1.BroadbandService
	for _, field := range []string{fieldServiceID, fieldLearnedID} {
		var services v1alpha1.BroadbandServiceList
		if err := p.List(ctx, &services, client.MatchingFields{field: serviceID}); err != nil {
			return nil, fmt.Errorf("look for other objects of service %s: %w", serviceID, err)
		}
		elders = append(elders, services.Items...)
	}
	elders = slices.DeleteFunc(elders, func(other v1alpha1.BroadbandService) bool {
		return other.UID == p.service.UID || !precedes(&other, p.service)
	})
	slices.SortFunc(elders, func(a, b v1alpha1.BroadbandService) int {
		if precedes(&a, &b) {
			return -1
		}
		return 1
	})
	return elders, nil
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

// sameIdentity says whether another object speaks for the same reseller. An account
// that does not exist speaks for nobody.
func (p *servicePass) sameIdentity(ctx context.Context, other *v1alpha1.BroadbandService) (bool, error) {
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
