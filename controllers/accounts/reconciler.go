// SPDX-License-Identifier: Apache-2.0

// Package accounts checks whether each CarrierAccount can log in.
package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/index"
	"github.com/broadband-operator/broadband-operator/controllers/internal/operate"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/controllers/internal/status"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
	"github.com/broadband-operator/broadband-operator/controllers/watch"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Reconciler checks whether an account can log in.
type Reconciler struct {
	*pass.Operator

	Receiver *receiver.Receiver

	enqueue func(types.NamespacedName) // enqueues an account; nil: not called
}

// +kubebuilder:rbac:groups=wholesale.broadband,resources=carrieraccounts,verbs=get;list;watch
// +kubebuilder:rbac:groups=wholesale.broadband,resources=carrieraccounts/status,verbs=update

// retryLogin is the longest interval between two checks of an account whose identity provider does
// not answer. A check reads the keys, because changed keys end the pause of the token source.
const retryLogin = time.Minute

const eventDeprecatedVersion = "DeprecatedAPIVersion"

// deprecatedVersion is the newest deprecated version of the API (spec §9).
const deprecatedVersion = 2

// Reconcile logs the account in and reports the result.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	account := &v1alpha1.CarrierAccount{}
	err := r.Get(ctx, request.NamespacedName, account)
	if apierrors.IsNotFound(err) || err == nil && !account.DeletionTimestamp.IsZero() {
		r.Sessions.Close(request.NamespacedName)
		r.Receiver.Forget(request.NamespacedName)
		return ctrl.Result{}, nil
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("read CarrierAccount %s: %w", request.NamespacedName, err)
	}
	if r.IsLagging(account) {
		now := r.Protocol.Now()
		return status.Exit(now, r.RequeueAt(account, now, time.Time{})), nil
	}
	return r.check(ctx, account)
}

func (r *Reconciler) check(ctx context.Context, account *v1alpha1.CarrierAccount) (ctrl.Result, error) {
	before := account.Status.DeepCopy()
	path, listenErr := r.Receiver.Learn(ctx, account)
	account.Status.EventsPath = path
	login, wait, err := r.login(ctx, account)
	if wait > 0 {
		return status.Exit(r.Protocol.Now(), r.Protocol.Now().Add(wait)), nil // the result is not known yet
	}
	verdict := decide.CarrierAccount(account, login, listenErr, r.Protocol.Now())
	if err == nil && verdict.State == decide.Settled {
		verdict, err = r.requireLedger(ctx, account, verdict)
	}
	if refused := pass.ErrorVerdict(err); refused != nil {
		verdict, err = *refused, nil
	}
	if err != nil {
		return pass.RetryAfter(err)
	}
	if err := r.record(ctx, account, before, verdict); err != nil {
		return pass.RetryAfter(client.IgnoreNotFound(err))
	}
	if verdict.State == decide.Settled && login.Err == nil && listenErr == nil {
		return r.checkRecovery(ctx, account)
	}
	return status.Exit(r.Protocol.Now(), r.Protocol.Now().Add(r.pause(account, verdict, login))), nil
}

// pause returns the wait before the next check of an account that is not ready, or has no token. If
// the identity provider does not answer, the wait lasts until the token source tries again;
// otherwise, a second at first, then longer. The recorded time of the last change may be in the
// future, if another clock has set it.
func (r *Reconciler) pause(
	account *v1alpha1.CarrierAccount, verdict decide.Verdict, login decide.Login,
) time.Duration {
	if login.Err != nil && verdict.State != decide.Stuck {
		return min(max(login.Outage.RetryAt.Sub(r.Protocol.Now()), time.Second), retryLogin)
	}
	ready := meta.FindStatusCondition(account.Status.Conditions, v1alpha1.ConditionReady)
	since := r.Protocol.Now().Sub(ready.LastTransitionTime.Time)
	if since < 0 {
		return pass.SecretInterval
	}
	return min(max(since, time.Second), pass.SecretInterval)
}

// Requeue enqueues an account whose status may have to change, for example because a login failed
// during a call, or because the notification endpoint changed.
func (r *Reconciler) Requeue(account types.NamespacedName) {
	if r.enqueue != nil {
		r.enqueue(account)
	}
}

// login logs the account in, at the identity provider and at the carrier. A wait above zero means that
// the result is not known yet. The error is that of the API server.
func (r *Reconciler) login(
	ctx context.Context, account *v1alpha1.CarrierAccount,
) (decide.Login, time.Duration, error) {
	session, err := r.Sessions.Lease(account, account)
	if err != nil {
		keepKnown(account, v1alpha1.ConditionCarrier)
		keepKnown(account, v1alpha1.ConditionExtensions)
		return decide.Login{Err: fmt.Errorf("cannot use CarrierAccount %s: %w", account.Name, err)}, 0, nil
	}
	login, wait, err := session.Login(ctx)
	r.describeCarrier(account, session.Session)
	r.describeExtensions(account, session.Session)
	if err == nil {
		login.Sharing, err = r.sharing(ctx, account)
	}
	return login, wait, err
}

// describeCarrier reports whether the carrier answers. As long as this session does not know, the
// condition is kept.
func (r *Reconciler) describeCarrier(account *v1alpha1.CarrierAccount, session *sessions.Session) {
	if aspect := decide.CarrierAspect(account, session.Breaker()); aspect != nil {
		status.DescribeAspect(r.target(account), *aspect, r.Protocol.Now())
	} else {
		keepKnown(account, v1alpha1.ConditionCarrier)
	}
}

// keepKnown keeps a condition about which nothing new is known. It only updates the generation,
// which is the same for all conditions of a status.
func keepKnown(account *v1alpha1.CarrierAccount, condition string) {
	if shown := meta.FindStatusCondition(account.Status.Conditions, condition); shown != nil {
		shown.ObservedGeneration = account.Generation
	}
}

// describeExtensions reports in a condition which extensions the carrier has. An account without
// extensions has no such condition.
func (r *Reconciler) describeExtensions(account *v1alpha1.CarrierAccount, session *sessions.Session) {
	if len(account.Spec.Extensions) == 0 {
		meta.RemoveStatusCondition(&account.Status.Conditions, v1alpha1.ConditionExtensions)
	} else if aspect := decide.ExtensionsAspect(account, session.Extensions()); aspect != nil {
		status.DescribeAspect(r.target(account), *aspect, r.Protocol.Now())
	}
}

func (r *Reconciler) target(account *v1alpha1.CarrierAccount) status.Object {
	return status.Object{Conditions: &account.Status.Conditions, Generation: account.Generation}
}

// record records a verdict. If the status cannot be written completely, that is reported instead, and
// everything else in it stays as it was.
func (r *Reconciler) record(
	ctx context.Context, account *v1alpha1.CarrierAccount, before *v1alpha1.CarrierAccountStatus, verdict decide.Verdict,
) error {
	account.Status.Login = nil
	if verdict.State == decide.Settled {
		account.Status.Login = new(account.Login())
	}
	err := r.write(ctx, account, before, verdict)
	if errors.Is(err, operate.ErrStatusPruned) {
		before.DeepCopyInto(&account.Status)
		err = errors.Join(err, r.write(ctx, account, before, decide.Pruned(v1alpha1.ReasonAPIServerRefused, err)))
	}
	return err
}

// write writes the status with a verdict if it has changed, and emits Events about what is new.
func (r *Reconciler) write(
	ctx context.Context, account *v1alpha1.CarrierAccount, before *v1alpha1.CarrierAccountStatus, verdict decide.Verdict,
) error {
	status.Describe(r.target(account), verdict, r.Protocol.Now())
	account.Status.ObservedGeneration = account.Generation
	if equality.Semantic.DeepEqual(before, &account.Status) {
		return nil
	}
	if err := r.Protocol.WriteStatus(ctx, account); err != nil {
		return fmt.Errorf("update the status of CarrierAccount %s: %w", account.Name, err)
	}
	r.announce(account, before, verdict)
	return nil
}

func (r *Reconciler) announce(
	account *v1alpha1.CarrierAccount, before *v1alpha1.CarrierAccountStatus, verdict decide.Verdict,
) {
	held := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionReady)
	if held == nil || held.Reason != verdict.Reason {
		r.Protocol.Events.Eventf(account, nil, eventType(verdict), verdict.Reason, "Login", "%s", verdict.Message)
	}
	if account.Spec.APIVersion <= deprecatedVersion && before.ObservedGeneration != account.Generation {
		r.Protocol.Events.Eventf(account, nil, corev1.EventTypeWarning, eventDeprecatedVersion, "Login",
			"spec.apiVersion %d is deprecated by the carrier: set 3 or later", account.Spec.APIVersion)
	}
}

func eventType(verdict decide.Verdict) string {
	if verdict.State == decide.Settled {
		return corev1.EventTypeNormal
	}
	return corev1.EventTypeWarning
}

// accountsWith returns the accounts with the login of a ledger.
func (r *Reconciler) accountsWith(ctx context.Context, object client.Object) []reconcile.Request {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is || ledger.Spec.Account == nil {
		return nil
	}
	by := client.MatchingFields{index.AccountLogin: index.LoginKey(ledger.Spec.Login)}
	return watch.RequestsFor(ctx, r, &v1alpha1.CarrierAccountList{}, by)
}

// continuationChanged reports whether a login now continues another one, or no longer has a
// ledger.
func continuationChanged(before, after client.Object) bool {
	return after == nil || !equality.Semantic.DeepEqual(continuedIn(before), continuedIn(after))
}

func continuedIn(object client.Object) *v1alpha1.CarrierLogin {
	ledger, is := object.(*v1alpha1.RequestLedger)
	if !is {
		return nil
	}
	return ledger.Continued()
}

// Setup reconciles an account when a user changes it, when requeue is called for it, when the
// marker or the ledger of its login changes, and some time after it became less settled.
func (r *Reconciler) Setup(mgr ctrl.Manager, workers watch.Workers) error {
	again := watch.NewTrigger()
	r.enqueue = again.Put
	return ctrl.NewControllerManagedBy(mgr).
		For(&v1alpha1.CarrierAccount{}, builder.WithPredicates(watch.UserChanges())).
		Watches(&v1alpha1.CarrierAccount{}, watch.Recheck(r.RecheckAfter)).
		Watches(&v1alpha1.RequestLedger{}, watch.EnqueueAll(r, &v1alpha1.CarrierAccountList{}), watch.MarkerChanges()).
		Watches(&v1alpha1.RequestLedger{}, handler.EnqueueRequestsFromMapFunc(r.accountsWith),
			builder.WithPredicates(watch.Changes(continuationChanged))).
		WatchesRawSource(again.Source()).
		WithOptions(workers.Options(&v1alpha1.CarrierAccount{})).
		Complete(r)
}
