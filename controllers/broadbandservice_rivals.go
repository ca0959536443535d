// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// gatherRival looks for an older object that manages the same service: "Two objects
// for one (account identity, serviceID): the older wins (equal seconds: the lower UID)".
func (p *servicePass) gatherRival(ctx context.Context) error {
	if p.service.ServiceNumber() == 0 || p.account.Object == nil {
		return nil
	}
	others, err := p.others(ctx)
	if err != nil {
		return err
	}
	for i := range others {
		if !precedes(standingOf(&others[i]), standingOf(p.service)) {
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

// others are the other objects for the service, whosever they are, in their order.
func (p *servicePass) others(ctx context.Context) ([]v1alpha1.BroadbandService, error) {
	var others []v1alpha1.BroadbandService
	for _, field := range []string{fieldServiceID, fieldLearnedID} {
		found, err := p.numbered(ctx, p, field, "")
		if err != nil {
			return nil, err
		}
		others = append(others, found...)
	}
	slices.SortFunc(others, func(a, b v1alpha1.BroadbandService) int {
		if precedes(standingOf(&a), standingOf(&b)) {
			return -1
		}
		return 1
	})
	// One that is declared with its number has it in its status too.
	return slices.CompactFunc(others, func(a, b v1alpha1.BroadbandService) bool { return a.UID == b.UID }), nil
}

// numbered are the other objects with the service's number in a field, in a namespace or,
// where that is "", wherever the reader looks.
func (p *servicePass) numbered(
	ctx context.Context, from client.Reader, field, namespace string,
) ([]v1alpha1.BroadbandService, error) {
	number := strconv.FormatInt(p.service.ServiceNumber(), 10)
	var services v1alpha1.BroadbandServiceList
	if err := from.List(ctx, &services, client.InNamespace(namespace), client.MatchingFields{field: number}); err != nil {
		return nil, fmt.Errorf("look for other objects of service %s: %w", number, err)
	}
	return slices.DeleteFunc(services.Items, func(other v1alpha1.BroadbandService) bool {
		return other.UID == p.service.UID
	}), nil
}

// rivalrous is a kind of which two objects may speak for the same thing.
type rivalrous interface {
	alone(ctx context.Context) error
}

var _ rivalrous = (*servicePass)(nil)

// alone looks past the cache, once the intent is written, for an object that comes first.
// The number stands in the status of every object that has written an intent.
func (p *servicePass) alone(ctx context.Context) error {
	self := standingOf(p.service)
	self.open = len(p.service.OpenRequests()) > 1 // beside what is about to be sent
	for _, namespace := range p.namespaces() {
		others, err := p.numbered(ctx, p.Protocol.Live, fieldLearnedID, namespace)
		if err != nil {
			return err
		}
		for i := range others {
			same, err := p.sameIdentity(ctx, &others[i])
			if err != nil {
				return err
			}
			if same && precedes(standingOf(&others[i]), self) {
				return fmt.Errorf("BroadbandService %s/%s manages service %d too, and came first",
					others[i].Namespace, others[i].Name, p.service.ServiceNumber())
			}
		}
	}
	return nil
}

// namespaces are those that this operator looks after; "" for all.
func (p *servicePass) namespaces() []string {
	if len(p.Namespaces) == 0 {
		return []string{metav1.NamespaceAll}
	}
	return p.Namespaces
}

// standing is what the order of a service's objects rests on.
type standing struct {
	open    bool // a request is under way
	created metav1.Time
	uid     types.UID
}

func standingOf(service *v1alpha1.BroadbandService) standing {
	return standing{len(service.OpenRequests()) > 0, service.CreationTimestamp, service.UID}
}

// precedes orders the objects of one service. One that has a request under way keeps
// its place until that has ended: two never send at once.
func precedes(a, b standing) bool {
	if a.open != b.open {
		return a.open
	}
	if a.created.Equal(&b.created) {
		return a.uid < b.uid
	}
	return a.created.Before(&b.created)
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
