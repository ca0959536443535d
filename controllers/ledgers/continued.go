// SPDX-License-Identifier: Apache-2.0

package ledgers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// isContinued reports whether an annotation names a login that continues that of the ledger.
func isContinued(object client.Object) bool {
	ledger, is := object.(*v1alpha1.RequestLedger)
	_, named := object.GetAnnotations()[v1alpha1.AnnotationContinuedBy]
	return is && named && ledger.Spec.Account != nil
}

// continueLogin lets another login continue the login of a ledger, as the ledger's annotation
// requests, and removes the annotation. If it may not, it emits an Event with the reason. It reads
// the ledger bypassing the cache, which does not keep who set the annotation.
func (r *Reconciler) continueLogin(ctx context.Context, name string) (ctrl.Result, error) {
	former, _, err := r.Ledgers.GetLive(ctx, name)
	if err != nil || former == nil || !isContinued(former) {
		return ctrl.Result{}, err
	}
	value := former.Annotations[v1alpha1.AnnotationContinuedBy]
	login, why := decide.ParseContinuedBy(value)
	if why == "" {
		if why, err = r.letContinue(ctx, former, login); err != nil {
			return pass.RetryAfter(err)
		}
	}
	if why != "" {
		r.Protocol.Events.Eventf(former, nil, corev1.EventTypeWarning, eventNotContinued, "Continue",
			"the annotation %s is %q, but nothing has changed: %s", v1alpha1.AnnotationContinuedBy, value, why)
		return ctrl.Result{RequeueAfter: keptAgain}, nil
	}
	if err := r.removeContinuedBy(ctx, name, value); err != nil {
		return pass.RetryAfter(err)
	}
	r.Protocol.Events.Eventf(former, nil, corev1.EventTypeNormal, eventContinued, "Continue",
		"what is sent with %s is recorded under %s", login, rootOf(former))
	return ctrl.Result{}, nil
}

// removeContinuedBy removes the annotation from the ledger of a login, unless it has another value
// now. The ledger is read again, because carrying out the annotation may have written it.
func (r *Reconciler) removeContinuedBy(ctx context.Context, name, value string) error {
	ledger, _, err := r.Ledgers.GetLive(ctx, name)
	if err != nil || ledger == nil || ledger.Annotations[v1alpha1.AnnotationContinuedBy] != value {
		return err
	}
	delete(ledger.Annotations, v1alpha1.AnnotationContinuedBy)
	return client.IgnoreNotFound(r.Update(ctx, ledger))
}

// rootOf returns the login under which the requests of a ledger's login are recorded.
func rootOf(ledger *v1alpha1.RequestLedger) v1alpha1.CarrierLogin {
	if continued := ledger.Continued(); continued != nil {
		return *continued
	}
	return ledger.Spec.Login
}

// letContinue records in the ledger of a login that the login continues the records of a former
// one, or returns why it may not. The former login is marked first: a login with records of its own
// never continues another one, so there is no chain and no cycle.
func (r *Reconciler) letContinue(
	ctx context.Context, former *v1alpha1.RequestLedger, login v1alpha1.CarrierLogin,
) (why string, err error) {
	here, err := r.Marker.Installation(ctx)
	if err != nil {
		return "", err
	}
	root, name := rootOf(former), decide.LoginLedgerName(login)
	next, _, err := r.Ledgers.GetLive(ctx, name)
	if err != nil {
		return "", err
	}
	own, err := r.recordsOf(ctx, login)
	if err != nil {
		return "", err
	}
	if why = decide.WhyNotContinued(former, next, login, own, here); why != "" || next.Continued() != nil {
		return why, nil
	}
	if failure := r.Logins.ClaimRecords(ctx, root); failure != nil {
		return "", failure
	}
	if next == nil {
		if next, err = r.Logins.New(ctx, login); err != nil {
			return "", err
		}
	}
	next.Spec.Account.Continues = &v1alpha1.ContinuedLogin{
		Login: root, At: v1alpha1.WholeSeconds(r.Protocol.Now()),
		By: r.Protocol.SetBy(former, v1alpha1.AnnotationContinuedBy),
	}
	return "", r.Ledgers.Write(ctx, next)
}

// recordsOf returns the name of a ledger that belongs to a login, other than the login's own; "" for
// none.
func (r *Reconciler) recordsOf(ctx context.Context, login v1alpha1.CarrierLogin) (string, error) {
	var ledgers v1alpha1.RequestLedgerList
	by := client.MatchingFields{index.Login: index.LoginKey(login)}
	if err := r.List(ctx, &ledgers, by, client.UnsafeDisableDeepCopy); err != nil {
		return "", fmt.Errorf("look for the records of %s: %w", login, err)
	}
	if len(ledgers.Items) == 0 {
		return "", nil
	}
	return ledgers.Items[0].Name, nil
}
