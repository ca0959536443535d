// SPDX-License-Identifier: Apache-2.0

// Package ledgers maintains the RequestLedgers: it releases those that are to be deleted, shrinks
// those that ended long ago, lets one login continue another, and records responses that no pass
// could record.
package ledgers

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/apiserver"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Reasons of the Events of this package.
const (
	eventLedgerKept      = "LedgerKept"
	eventLedgerForgotten = "LedgerForgotten"
	eventContinued       = "LoginContinued"
	eventNotContinued    = "LoginNotContinued"
)

// Reconciler releases a RequestLedger that is being deleted once nothing depends on it, and lets
// one login continue another.
type Reconciler struct{ *pass.Operator }

// +kubebuilder:rbac:groups=wholesale.broadband,resources=requestledgers,verbs=get;list;watch;update

// Reconcile removes the finalizer from a ledger, or emits an Event with the reason why it stays: it
// has an open attempt, an object uses it, or the annotation that releases it does not repeat its
// name. It also carries out the annotation that continues a login.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	ledger := &v1alpha1.RequestLedger{}
	if err := r.Get(ctx, request.NamespacedName, ledger); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	switch {
	case isContinued(ledger) && ledger.DeletionTimestamp.IsZero():
		return r.continueLogin(ctx, ledger.Name)
	case !ledger.AwaitsRelease():
		return ctrl.Result{}, nil
	}
	kept, err := r.keepReason(ctx, ledger)
	if err != nil {
		return ctrl.Result{}, err
	}
	if kept.why != "" {
		r.Protocol.Events.Eventf(ledger, nil, corev1.EventTypeWarning, eventLedgerKept, "Delete",
			"RequestLedger %s is being deleted. %s", ledger.Name, kept.why)
		return ctrl.Result{RequeueAfter: kept.again}, nil
	}
	return pass.RetryAfter(client.IgnoreNotFound(r.release(ctx, ledger.DeepCopy())))
}

// keptAgain is the wait before a ledger is again reported as kept, because an Event lasts an
// hour. The ledger is also reconciled when an object is deleted.
const keptAgain = time.Hour

// hiddenAgain is the wait before a ledger is checked again if its object may not be read, or the
// kind is not served. No watch then shows the deletion of the object.
const hiddenAgain = time.Minute

// keepReason is why a ledger must not be released, and when that is checked again.
type keepReason struct {
	why   string // "": it may be released
	again time.Duration
}

// keepReason returns why a ledger must not be released.
func (r *Reconciler) keepReason(ctx context.Context, ledger *v1alpha1.RequestLedger) (keepReason, error) {
	if why := decide.WhyLedgerKept(ledger); why != "" {
		return keepReason{why, keptAgain}, nil
	}
	return r.dependent(ctx, ledger)
}

// dependent returns the object that depends on a ledger as the reason to keep it. An object that this
// manager may not read counts as existing.
func (r *Reconciler) dependent(ctx context.Context, ledger *v1alpha1.RequestLedger) (keepReason, error) {
	kind, holder, err := readHolder(ctx, r.Protocol.Live, &ledger.Spec)
	switch {
	case holder != nil:
		return keptBy(kind, keyOf(ledger.Spec.Holder), err)
	case ledger.Spec.Diagnostics != nil:
		return r.dependentTest(ctx, ledger)
	}
	return keepReason{}, nil
}

// readHolder reads the holder of the ledger of an order or a service, and returns its kind; nil if
// there is none. The error is that of the read.
func readHolder(
	ctx context.Context, from client.Reader, ledger *v1alpha1.RequestLedgerSpec,
) (kind string, holder client.Object, err error) {
	switch {
	case ledger.Holder.Name == "":
		return "", nil, nil
	case ledger.Order != nil:
		kind, holder = "ServiceOrder", &v1alpha1.ServiceOrder{}
	default:
		kind, holder = "BroadbandService", &v1alpha1.BroadbandService{}
	}
	return kind, holder, from.Get(ctx, keyOf(ledger.Holder), holder)
}

func keyOf(holder v1alpha1.LedgerHolder) client.ObjectKey {
	return client.ObjectKey{Namespace: holder.Namespace, Name: holder.Name}
}

// keptBy returns an object as the reason to keep a ledger, unless the API server confirms that it does
// not exist. The error is that of reading the object.
func keptBy(kind string, at client.ObjectKey, err error) (keepReason, error) {
	exists, failed := apiserver.MayExist(err, at.Name)
	switch {
	case failed != nil:
		return keepReason{}, lookFailed(kind+" "+at.String(), failed)
	case !exists:
		return keepReason{}, nil
	}
	return usedBy(kind+" "+at.String(), err), nil
}

// usedBy is the reason to keep a ledger that an object uses. The error is that of reading the object.
func usedBy(object string, err error) keepReason {
	again := keptAgain
	if apiserver.IsHidden(err) {
		again = hiddenAgain
	}
	return keepReason{decide.LedgerInUse(object), again}
}

// dependentTest returns a DiagnosticTest whose status names a ledger as the reason to keep it.
func (r *Reconciler) dependentTest(ctx context.Context, ledger *v1alpha1.RequestLedger) (keepReason, error) {
	var tests v1alpha1.DiagnosticTestList
	err := r.Protocol.Live.List(ctx, &tests)
	switch {
	case apiserver.IsHidden(err):
		return usedBy("a DiagnosticTest that this manager may not see", err), nil
	case err != nil:
		return keepReason{}, lookFailed("the DiagnosticTests", err)
	}
	for _, test := range tests.Items {
		if test.Status.Ledger != nil && test.Status.Ledger.Name == ledger.Name {
			return usedBy(fmt.Sprintf("DiagnosticTest %s/%s", test.Namespace, test.Name), nil), nil
		}
	}
	return keepReason{}, nil
}

func lookFailed(objects string, err error) error {
	return fmt.Errorf("read %s to see whether a RequestLedger that is being deleted is still in use: %w", objects, err)
}

// release removes the finalizer from the version of the ledger that the decision was based on.
func (r *Reconciler) release(ctx context.Context, ledger *v1alpha1.RequestLedger) error {
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
