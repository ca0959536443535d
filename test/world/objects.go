// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"encoding/json"
	"os"
	"sync/atomic"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// lastServiceID gives the services of all worlds of a process different ids, because they share the
// API server.
var lastServiceID atomic.Int64

// firstServiceID gives the services of two processes different ids, because the processes may
// share the API server, too.
func firstServiceID() int64 { return 4_000_000 + int64(os.Getpid())*100_000 }

func seconds(n int) simulator.Duration { return simulator.Duration(time.Duration(n) * time.Second) }

// Account builds the CarrierAccount of the world.
func (w *World) Account(edits ...func(*v1alpha1.CarrierAccount)) *v1alpha1.CarrierAccount {
	account := &v1alpha1.CarrierAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: AccountName},
		Spec: v1alpha1.CarrierAccountSpec{
			BaseURL:        w.URL,
			IdentifierWord: w.word,
			Auth: v1alpha1.Auth{
				TokenURL: w.TokenURL(), ClientName: w.ClientName,
				Keys: []v1alpha1.SigningKey{{
					KeyID: KeyID, PrivateKeySecretRef: v1alpha1.SecretKeyReference{Name: SecretName, Key: SecretKey},
				}},
			},
			RateLimit:     v1alpha1.RateLimit{RequestsPerSecond: 100, Burst: 100},
			Approval:      v1alpha1.ApprovalAutomatic, // most tests are about requests that need no approval
			UnknownValues: v1alpha1.UnknownRequest,
		},
	}
	for _, edit := range edits {
		edit(account)
	}
	w.extensions.note(account)
	return account
}

// Unlimited raises an account's rate limit to its maximum, for tests that are not about it.
func Unlimited(account *v1alpha1.CarrierAccount) {
	account.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 1000, Burst: 1000}
}

// PollEverySecond makes an account poll its requests as often as the operation allows.
func PollEverySecond(account *v1alpha1.CarrierAccount) {
	account.Spec.Polling = v1alpha1.Polling{Min: "1s", Max: "1s"}
}

// TokenURL returns the identity provider's token endpoint.
func (w *World) TokenURL() string {
	return w.URL + "/auth/realms/" + Realm + "/protocol/openid-connect/token"
}

// Secret builds the Secret with the reseller's key.
func (w *World) Secret() *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: SecretName},
		Data:       map[string][]byte{SecretKey: w.KeyPEM},
	}
}

// Login creates the account and the Secret.
func (w *World) Login(ctx context.Context, edits ...func(*v1alpha1.CarrierAccount)) *v1alpha1.CarrierAccount {
	account := w.Account(edits...)
	gomega.Expect(w.Create(ctx, w.Secret())).To(gomega.Succeed())
	gomega.Expect(w.Create(ctx, account)).To(gomega.Succeed())
	return account
}

// AwaitLogin does the same as Login, and waits until a running manager has logged in.
func (w *World) AwaitLogin(ctx context.Context, edits ...func(*v1alpha1.CarrierAccount)) {
	account := w.Login(ctx, edits...)
	gomega.Eventually(func(g gomega.Gomega) {
		g.Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(gomega.Succeed())
		ready := Condition(account.Status.Conditions, v1alpha1.ConditionReady)
		g.Expect(ready.Reason).To(gomega.Equal(v1alpha1.ReasonTokenIssued))
	}).WithTimeout(time.Minute).Should(gomega.Succeed())
}

// Line adds a service to the carrier's records, and returns its id.
func (w *World) Line(edits ...func(*simulator.Service)) int64 {
	line := simulator.Service{
		ID: firstServiceID() + lastServiceID.Add(1), Client: w.ClientName, TechnologyType: "FTTP",
		Plan: PlanSlow, Term: 12, RestorationSLA: SLAStd,
	}
	for _, edit := range edits {
		edit(&line)
	}
	gomega.Expect(w.records.AddService(line)).To(gomega.Succeed())
	return line.ID
}

// rarely keeps interval readings out of tests that are not about them: their time slots depend on
// the object's UID, which differs between runs.
const rarely = "9000h"

// Service builds a BroadbandService that declares the fast plan.
func (w *World) Service(
	name string, serviceID int64, edits ...func(*v1alpha1.BroadbandService),
) *v1alpha1.BroadbandService {
	return edited(&v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Spec: v1alpha1.BroadbandServiceSpec{
			AccountRef: v1alpha1.AccountReference{Name: AccountName},
			ServiceID:  v1alpha1.CarrierIDOf(serviceID),
			Plan:       &v1alpha1.Plan{Name: PlanFast, Term: 12},
			Observe:    v1alpha1.Observe{HealthInterval: rarely, CancellationInterval: rarely},
		},
	}, edits)
}

// edited returns an object after edits.
func edited[T any](object *T, edits []func(*T)) *T {
	for _, edit := range edits {
		edit(object)
	}
	return object
}

// an is a pointer to an object of the API.
type an[T any] interface {
	*T
	client.Object
}

// lookUp reads an object of the world from the API server; nil if it does not exist.
func lookUp[T any, P an[T]](ctx context.Context, w *World, name string) *T {
	ginkgo.GinkgoHelper()
	object, exists := Fetch(ctx, w, name, P(new(T)))
	if !exists {
		return nil
	}
	return object
}

// mustRead reads an object of the world, which has to exist.
func mustRead[T any, P an[T]](ctx context.Context, w *World, name string) *T {
	ginkgo.GinkgoHelper()
	object := lookUp[T, P](ctx, w, name)
	gomega.Expect(object).NotTo(gomega.BeNil(), name)
	return object
}

// change edits an object of the world as a user would.
func change[T any, P an[T]](ctx context.Context, w *World, name string, edit func(*T)) {
	ginkgo.GinkgoHelper()
	object := mustRead[T, P](ctx, w, name)
	edit(object)
	gomega.Expect(w.Update(ctx, P(object))).To(gomega.Succeed())
}

// annotate sets an annotation as a user would.
func annotate(ctx context.Context, w *World, object client.Object, key, value string) {
	ginkgo.GinkgoHelper()
	annotations := map[string]any{"annotations": map[string]string{key: value}}
	changes, err := json.Marshal(map[string]any{"metadata": annotations})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(w.Patch(ctx, object, client.RawPatch(types.MergePatchType, changes))).To(gomega.Succeed())
}

// Read reads a service from the API server.
func (w *World) Read(ctx context.Context, name string) *v1alpha1.BroadbandService {
	ginkgo.GinkgoHelper()
	return mustRead[v1alpha1.BroadbandService](ctx, w, name)
}

// Edit changes a service as a user would.
func (w *World) Edit(ctx context.Context, name string, edit func(*v1alpha1.BroadbandService)) {
	ginkgo.GinkgoHelper()
	change(ctx, w, name, edit)
}

// Annotate sets an annotation as a user would.
func (w *World) Annotate(ctx context.Context, name, key, value string) {
	ginkgo.GinkgoHelper()
	annotate(ctx, w, w.Read(ctx, name), key, value)
}

// Ready returns the Ready condition, or an empty one.
func Ready(service *v1alpha1.BroadbandService) metav1.Condition {
	return Condition(service.Status.Conditions, v1alpha1.ConditionReady)
}

// Condition returns a condition by type, or an empty one.
func Condition(conditions []metav1.Condition, conditionType string) metav1.Condition {
	if found := meta.FindStatusCondition(conditions, conditionType); found != nil {
		return *found
	}
	return metav1.Condition{}
}

// Posts counts the plan-change POSTs that the carrier has seen for a service.
func (w *World) Posts(serviceID int64) int {
	return w.Carrier.Submissions(simulator.OpPlanChange, serviceID).Seen
}
