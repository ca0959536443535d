// SPDX-License-Identifier: Apache-2.0

package notifications

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/controllers/internal/sessions"
	"github.com/broadband-operator/broadband-operator/test/store"
)

// On a replica that does not lead, only this controller learns that an account was deleted. A
// notification had opened a session there, which then stayed and was counted for ever.
func TestADeletedAccountLeavesNoSessionOnAStandby(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(context.Context, client.Client, *v1alpha1.CarrierAccount) error{
		"gone": func(ctx context.Context, cluster client.Client, account *v1alpha1.CarrierAccount) error {
			return cluster.Delete(ctx, account)
		},
		"being deleted": func(ctx context.Context, cluster client.Client, account *v1alpha1.CarrierAccount) error {
			account.Finalizers = []string{"example.com/kept"}
			if err := cluster.Update(ctx, account); err != nil {
				return err
			}
			return cluster.Delete(ctx, account)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			now := func() time.Time { return time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC) }
			registry := &sessions.Registry{Now: now, NewID: rand.Text}
			scheme := runtime.NewScheme()
			must(v1alpha1.AddToScheme(scheme))
			newUID := func() types.UID { return "account-1" }
			cluster := store.New(store.Options{Scheme: scheme, Now: now, NewUID: newUID}).Client()
			standby := &receiverReconciler{
				Reader: cluster, receiver: receiver.New(receiver.Config{}),
				sessions: registry, requeue: func(types.NamespacedName) {},
			}
			account := &v1alpha1.CarrierAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default"}}
			account.Spec.BaseURL, account.Spec.APIVersion = "https://api.carrier.example", 8
			account.Spec.Auth.TokenURL = "https://id.carrier.example/realms/shop/protocol/openid-connect/token"
			look := func(sessions int) {
				t.Helper()
				_, err := standby.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(account)})
				must(err)
				if open := registry.Usage().Sessions; open != sessions {
					t.Fatalf("%d sessions are open, want %d", open, sessions)
				}
			}
			must(cluster.Create(t.Context(), account))
			_, err := registry.Session(account) // as a notification does that is recorded
			must(err)
			look(1)
			must(remove(t.Context(), cluster, account))
			look(0)
		})
	}
}
