// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

var errNotNewest = errors.New("there is a newer version than the one that was judged")

// holdFirst puts the finalizer on before a Query that leaves something behind at the carrier.
// After the answer would be too late: an object that is deleted while its question is out
// would be gone by then, and what it left behind with it. A process that ends between the
// two leaves a finalizer and nothing on record, and such an object is let go at once.
func (p *Protocol) holdFirst(ctx context.Context, subject Subject, submission Submission) error {
	if !submission.Hold {
		return nil
	}
	if err := p.Hold(ctx, subject); err != nil {
		return err
	}
	if !subject.GetDeletionTimestamp().IsZero() {
		return errDeleting
	}
	return p.newest(ctx, subject)
}

// newest is a conflict unless the object is what is on record. A Query writes no intent, so
// that a cache that lags behind could have the same question put twice.
func (p *Protocol) newest(ctx context.Context, subject Subject) error {
	live, ok := subject.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T is not a Kubernetes object", subject)
	}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(subject), live); err != nil {
		return fmt.Errorf("read what is on record of %s: %w", subject.GetName(), err)
	}
	if live.GetResourceVersion() != subject.GetResourceVersion() {
		group := schema.GroupResource{Group: v1alpha1.GroupVersion.Group}
		return fmt.Errorf("judge %s: %w", subject.GetName(), apierrors.NewConflict(group, subject.GetName(), errNotNewest))
	}
	return nil
}

// underWay says whether a request of an object has not ended.
func underWay(subject Subject) bool {
	for _, contract := range carrier.Contracts() {
		request := subject.RequestOf(v1alpha1.Operation(contract.Operation))
		if request != nil && !request.Phase.Ended() {
			return true
		}
	}
	return false
}
