// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// freeForm is an object whose status contains a free-form part from the carrier.
type freeForm interface{ DropFreeForm() }

// ErrStatusPruned means that the API server would drop fields of a status because the object's CRD
// does not know them.
var ErrStatusPruned = errors.New(
	"the CustomResourceDefinition of this kind is older than the operator and lacks fields of the status: upgrade it")

// WriteStatus writes a status, and nothing of it if the API server would drop a field: the error is
// then [ErrStatusPruned]. If the API server refuses the content, it is written again without what
// the carrier has written, and an Event reports a status that cannot be written at all (R18).
func WriteStatus(ctx context.Context, cluster client.Client, events Recorder, object client.Object) error {
	err := updateStatus(ctx, cluster, object)
	if decide.Unwritable(err) && !errors.Is(err, ErrStatusPruned) && dropsFreeForm(object) {
		refused := err
		if err = updateStatus(ctx, cluster, object); err == nil {
			events.Eventf(object, nil, corev1.EventTypeWarning, eventStatusCut, "UpdateStatus",
				"the status omits the carrier's free-form data, because the API server refused it: %s", refused)
		}
	}
	if decide.APIRefusal(err) != nil {
		events.Eventf(object, nil, corev1.EventTypeWarning, eventStatusRefused, "UpdateStatus",
			"the status cannot be written; the write is retried: %s", err)
	}
	return err
}

func updateStatus(ctx context.Context, cluster client.Client, object client.Object) error {
	err := cluster.Status().Update(ctx, object, apiserver.StrictFields)
	if apiserver.DropsFields(err) {
		return fmt.Errorf("%w: %w", ErrStatusPruned, err)
	}
	return err
}

// dropsFreeForm removes the carrier's free-form part from a status, and reports whether there was
// one.
func dropsFreeForm(object client.Object) bool {
	cut, has := object.(freeForm)
	if !has {
		return false
	}
	before := object.DeepCopyObject()
	cut.DropFreeForm()
	return !equality.Semantic.DeepEqual(before, object)
}

// shortened is an object whose status shows less of its requests than its ledger contains.
type shortened interface{ Shorten() (restore func()) }

// AsShown returns a copy of the object with its status as it is written.
func AsShown(object runtime.Object) runtime.Object {
	shown := object.DeepCopyObject()
	if whole, is := shown.(shortened); is {
		whole.Shorten()
	}
	return shown
}

// WriteStatus is [WriteStatus] with the clients of the protocol; it remembers the write. The object
// in memory keeps what its written status omits.
func (p *Protocol) WriteStatus(ctx context.Context, object client.Object) error {
	if whole, is := object.(shortened); is {
		defer whole.Shorten()()
	}
	err := WriteStatus(ctx, p.Cluster, p.Events, object)
	if err == nil {
		p.Memory.Wrote(object, p.Now())
	}
	return err
}
