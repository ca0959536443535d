// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// LedgerReconciler releases a RequestLedger that is being deleted once nothing depends on it.
type LedgerReconciler struct{ *Operator }

// +kubebuilder:rbac:groups=wholesale.broadband,resources=requestledgers,verbs=get;list;watch;update

// Reconcile removes the finalizer from a ledger, or emits an Event with the reason why it stays:
// "the finalizer goes only where nothing is open, the holder is gone, and the annotation ...
// repeats its name".
func (r *LedgerReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	ledger := &v1alpha1.RequestLedger{}
	if err := r.Get(ctx, request.NamespacedName, ledger); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !awaitsRelease(ledger) {
		return ctrl.Result{}, nil
	}
	kept, err := r.keepReason(ctx, ledger)
	if err != nil {
		return ctrl.Result{}, err
	}
	if kept != "" {
		r.Protocol.Events.Eventf(ledger, nil, corev1.EventTypeWarning, eventLedgerKept, "Delete",
			"RequestLedger %s is being deleted. %s", ledger.Name, kept)
		return ctrl.Result{RequeueAfter: keptAgain}, nil
	}
	return retryAfter(client.IgnoreNotFound(r.release(ctx, ledger.DeepCopy())))
}

// keptAgain is when the reason why a ledger stays is checked and reported again. An Event lasts an
// hour, and no change is seen of an object that may not be read.
const keptAgain = time.Hour

// keepReason returns why a ledger must not be released; "" if it may be.
func (r *LedgerReconciler) keepReason(ctx context.Context, ledger *v1alpha1.RequestLedger) (string, error) {
	if kept := decide.WhyLedgerKept(ledger); kept != "" {
		return kept, nil
	}
	object, err := r.dependent(ctx, ledger)
	if err != nil || object == "" {
		return "", err
	}
	return decide.LedgerInUse(object), nil
}

// dependent returns an object that depends on a ledger; "" if there is none. An object that this
// manager may not read counts as existing.
func (r *LedgerReconciler) dependent(ctx context.Context, ledger *v1alpha1.RequestLedger) (string, error) {
	holder := ledger.Spec.Holder
	at := client.ObjectKey{Namespace: holder.Namespace, Name: holder.Name}
	switch {
	case ledger.Spec.Order != nil && holder.Name != "":
		return nameUnlessGone("ServiceOrder", at, r.Protocol.Live.Get(ctx, at, &v1alpha1.ServiceOrder{}))
	case ledger.Spec.Service != nil && holder.Name != "":
		return nameUnlessGone("BroadbandService", at, r.Protocol.Live.Get(ctx, at, &v1alpha1.BroadbandService{}))
	case ledger.Spec.Diagnostics != nil:
		return r.dependentTest(ctx, ledger)
	}
	return "", nil
}

// nameUnlessGone returns the name of an object, unless the API server confirms that it does not
// exist.
func nameUnlessGone(kind string, at client.ObjectKey, err error) (string, error) {
	exists, failed := mayExist(err, at.Name)
	switch {
	case failed != nil:
		return "", fmt.Errorf("look for %s %s, which uses a RequestLedger that is being deleted: %w", kind, at, failed)
	case !exists:
		return "", nil
	}
	return kind + " " + at.String(), nil
}

// dependentTest returns a DiagnosticTest whose status names a ledger; "" if there is none.
func (r *LedgerReconciler) dependentTest(ctx context.Context, ledger *v1alpha1.RequestLedger) (string, error) {
	var tests v1alpha1.DiagnosticTestList
	err := r.Protocol.Live.List(ctx, &tests)
	switch {
	case isHidden(err):
		return "a DiagnosticTest that this manager may not see", nil
	case err != nil:
		return "", fmt.Errorf("look for the DiagnosticTests that use a RequestLedger that is being deleted: %w", err)
	}
	for _, test := range tests.Items {
		if test.Status.Ledger != nil && test.Status.Ledger.Name == ledger.Name {
			return fmt.Sprintf("DiagnosticTest %s/%s", test.Namespace, test.Name), nil
		}
	}
	return "", nil
}

// release removes the finalizer from the version of the ledger that the decision was based on.
func (r *LedgerReconciler) release(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
	controllerutil.RemoveFinalizer(ledger, v1alpha1.FinalizerMemory)
	if err := r.Update(ctx, ledger); err != nil {
		return fmt.Errorf("release RequestLedger %s: %w", ledger.Name, err)
	}
	r.Ledgers.Forget(ledger.Name)
	r.Protocol.Events.Eventf(ledger, nil, corev1.EventTypeNormal, eventLedgerForgotten, "Delete",
		"RequestLedger %s is deleted, as its annotation %s requests: its records are lost",
		ledger.Name, v1alpha1.AnnotationForget)
	return nil
}

func awaitsRelease(object client.Object) bool {
	return !object.GetDeletionTimestamp().IsZero() && controllerutil.ContainsFinalizer(object, v1alpha1.FinalizerMemory)
}
