// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// freeForm is an object whose status contains a free-form part from the carrier.
type freeForm interface{ DropFreeForm() }

// ErrStatusPruned means that the API server would drop fields of a status because the object's CRD
// does not know them.
var ErrStatusPruned = errors.New(
	"the CustomResourceDefinition of this kind is older than the operator and lacks fields of the status: upgrade it")

// WriteStatus writes a status. If the API server would drop a field, nothing is written:
// [ErrStatusPruned]. If it refuses the content, the status is written again without the carrier's
// free-form part. An Event reports a status that cannot be written at all (R18).
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

// WriteStatus calls [WriteStatus] with the protocol's client, and remembers the write. The object
// in memory keeps the fields that the written status omits.
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

// mostFinalizers is how many finalizers of an object the cache keeps. A patch replaces the whole
// list and would remove the dropped ones, so an object that may have more is not patched.
const mostFinalizers = 32

var errFinalizers = fmt.Errorf("the object has %d finalizers or more: remove those of others", mostFinalizers)

// KeptFinalizers returns the operator's finalizer, and as many others as are needed to patch the
// list.
func KeptFinalizers(all []string) []string {
	if len(all) <= mostFinalizers {
		return all
	}
	kept := slices.Clone(all[:mostFinalizers])
	if slices.Contains(all, v1alpha1.Finalizer) {
		kept[0] = v1alpha1.Finalizer
	}
	return kept
}

// AddFinalizer adds the finalizer to an object that has requests to track. It is added between
// the first intent and its POST, and again if somebody has removed it.
func (p *Protocol) AddFinalizer(ctx context.Context, subject client.Object) error {
	if controllerutil.ContainsFinalizer(subject, v1alpha1.Finalizer) || !subject.GetDeletionTimestamp().IsZero() {
		return nil
	}
	return p.changeFinalizer(ctx, subject, controllerutil.AddFinalizer)
}

// RemoveFinalizer removes the finalizer, so that a deleted object can go away.
func (p *Protocol) RemoveFinalizer(ctx context.Context, subject client.Object) error {
	if !controllerutil.ContainsFinalizer(subject, v1alpha1.Finalizer) {
		return nil
	}
	return client.IgnoreNotFound(p.changeFinalizer(ctx, subject, controllerutil.RemoveFinalizer))
}

// changeFinalizer patches only the list of finalizers, under the resourceVersion that the decision
// was based on. It does not take over the status that the API server returns, because that status
// may be older than what is recorded in the ledger.
func (p *Protocol) changeFinalizer(
	ctx context.Context, subject client.Object, change func(client.Object, string) bool,
) error {
	if len(subject.GetFinalizers()) >= mostFinalizers {
		return errFinalizers
	}
	changed, ok := subject.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T is not a Kubernetes object", subject)
	}
	change(changed, v1alpha1.Finalizer)
	patch := client.MergeFromWithOptions(subject, client.MergeFromWithOptimisticLock{})
	if err := p.Cluster.Patch(ctx, changed, patch); err != nil {
		return fmt.Errorf("change the finalizer: %w", err)
	}
	subject.SetFinalizers(changed.GetFinalizers())
	subject.SetResourceVersion(changed.GetResourceVersion())
	subject.SetManagedFields(changed.GetManagedFields())
	return nil
}

// SetBy returns who last set an annotation. It is the user confirmed by the API server:
// config/usernames writes the user's name, and config/policy refuses any other name. If something
// else checks approvals, the name is marked as claimed. Without a name, SetBy returns the client
// from the field managers, which cached objects lack.
func (p *Protocol) SetBy(object metav1.Object, annotation string) string {
	by := "unknown"
	if user := object.GetAnnotations()[v1alpha1.SetterAnnotation(annotation)]; user != "" {
		by = user
		if p.Policies == nil {
			by += " (claimed)"
		}
	} else if program := newestOwner(object, annotation); program != "" {
		by = "unknown (client " + program + ")"
	}
	runes := []rune(by)
	return string(runes[:min(len(runes), v1alpha1.MaxClient)])
}

// newestOwner returns the client that last changed an annotation, according to the field managers.
func newestOwner(object metav1.Object, annotation string) string {
	var newest metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if owns(entry.FieldsV1, annotation) && !entry.Time.Before(newest.Time) {
			newest = entry
		}
	}
	return newest.Manager
}

func owns(fields *metav1.FieldsV1, annotation string) bool {
	var owned struct {
		Metadata struct {
			Annotations map[string]json.RawMessage `json:"f:annotations"`
		} `json:"f:metadata"`
	}
	if json.Unmarshal(fields.GetRawBytes(), &owned) != nil {
		return false // unknown format: it does not prove ownership
	}
	_, held := owned.Metadata.Annotations["f:"+annotation]
	return held
}
