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

// holdFirst adds the finalizer before a Query that leaves something behind at the carrier. Adding
// it after the answer would be too late: an object deleted in the meantime would be gone, and with
// it the reference to what the Query left behind. If the process ends between the two, the object
// has a finalizer but no recorded request, and is released at once.
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

// newest returns a conflict unless the object is the latest version. A Query writes no intent, so a
// stale cache could otherwise cause the same question to be sent twice.
func (p *Protocol) newest(ctx context.Context, subject Subject) error {
	live, ok := subject.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T is not a Kubernetes object", subject)
	}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(subject), live); err != nil {
		return fmt.Errorf("read the recorded state of %s: %w", subject.GetName(), err)
	}
	if live.GetResourceVersion() != subject.GetResourceVersion() {
		group := schema.GroupResource{Group: v1alpha1.GroupVersion.Group}
		return fmt.Errorf("judge %s: %w", subject.GetName(), apierrors.NewConflict(group, subject.GetName(), errNotNewest))
	}
	return nil
}

// underWay reports whether a request of an object has not ended.
func underWay(subject Subject) bool {
	for _, contract := range carrier.Contracts() {
		request := subject.RequestOf(v1alpha1.Operation(contract.Operation))
		if request != nil && !request.Phase.Ended() {
			return true
		}
	}
	return false
}
