// SPDX-License-Identifier: Apache-2.0

package notifications

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/controllers/pass"
)

// receiverReconciler updates the receiver of one replica from the accounts and their Secrets. Every
// replica has its own receiver, whether it leads or not. Nothing is written to the API server. A
// notification that is recorded opens a session of its account, so a replica that does not lead also
// has to close the session once the account is deleted.
type receiverReconciler struct {
	client.Reader

	receiver *receiver.Receiver
	sessions *sessions.Registry
	requeue  func(types.NamespacedName) // reconciles an account whose status may have to change
}

// Reconcile reads an account's shared secrets, and repeats that every few seconds. Secrets are not
// watched, and a secret that was replaced because it leaked must soon become invalid.
func (e *receiverReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	account := &v1alpha1.CarrierAccount{}
	err := e.Get(ctx, request.NamespacedName, account)
	if err != nil || !account.DeletionTimestamp.IsZero() {
		e.receiver.Forget(request.NamespacedName)
		if err = client.IgnoreNotFound(err); err == nil {
			e.sessions.Close(request.NamespacedName)
		}
		return ctrl.Result{}, err
	}
	before, listened := e.receiver.Listens(request.NamespacedName)
	_, listenErr := e.receiver.Learn(ctx, account)
	after, listens := e.receiver.Listens(request.NamespacedName)
	if before != after || listened != listens {
		e.requeue(request.NamespacedName)
	}
	if account.Spec.Events == nil && listenErr == nil {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{RequeueAfter: pass.SecretInterval}, nil
}
