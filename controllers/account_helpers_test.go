// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func accountReady(ctx context.Context, w *world.World) metav1.Condition {
	GinkgoHelper()
	account := w.Account()
	Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	return world.Condition(account.Status.Conditions, v1alpha1.ConditionReady)
}

// reconcileAccount is the condition Ready of the account, after one pass.
func reconcileAccount(ctx SpecContext, w *world.World, process *world.Process) metav1.Condition {
	GinkgoHelper()
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return accountReady(ctx, w)
}

// untilLongestPause is time for logins after pauses of 5, 10, 20, 40, 80, 160 and 300 seconds, the
// longest. During a pause, a Secret that cannot be used is read every 5 seconds.
const untilLongestPause = 15 * time.Minute

func editAccount(ctx context.Context, w *world.World, edit func(*v1alpha1.CarrierAccount)) {
	GinkgoHelper()
	account := w.Account()
	Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	edit(account)
	Expect(w.Update(ctx, account)).To(Succeed())
}

// reconcileFor reconciles account and service for a span of time, whenever they are due.
func reconcileFor(ctx context.Context, w *world.World, process *world.Process, span time.Duration) {
	GinkgoHelper()
	for end := w.Clock.Now().Add(span); w.Clock.Now().Before(end); {
		account, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		service, err := process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		wait := time.Minute
		for _, after := range []time.Duration{account.RequeueAfter, service.RequeueAfter} {
			if after > 0 {
				wait = min(wait, after)
			}
		}
		w.Clock.Advance(wait)
	}
}

// recreateAccount deletes the account and creates it again with this baseURL, which a user cannot
// edit.
func recreateAccount(ctx SpecContext, w *world.World, process *world.Process, baseURL string) {
	GinkgoHelper()
	account := w.Account()
	Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	Expect(w.Delete(ctx, account)).To(Succeed())
	account = w.Account(func(a *v1alpha1.CarrierAccount) { a.Spec = account.Spec; a.Spec.BaseURL = baseURL })
	Expect(w.Create(ctx, account)).To(Succeed())
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
}

// movedURL is another address of the carrier of a world.
func movedURL(w *world.World) string { return strings.Replace(w.URL, "127.0.0.1", "localhost", 1) }

// asAnotherLogin gives an account another login: another address of the same carrier, where the client
// has the same services.
func asAnotherLogin(a *v1alpha1.CarrierAccount) {
	a.Spec.BaseURL = strings.Replace(a.Spec.BaseURL, "127.0.0.1", "localhost", 1)
}

// inAnotherNamespace is another namespace with its own account at the same carrier, for the same
// login if no edit changes that.
func inAnotherNamespace(
	ctx SpecContext, w *world.World, edits ...func(*v1alpha1.CarrierAccount),
) (*world.World, *world.Process) {
	GinkgoHelper()
	other := *w
	other.Namespace += "-beside"
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other.Namespace}}
	Expect(w.Create(ctx, namespace)).To(Succeed())
	other.Login(ctx, edits...)
	process := other.Start(world.CrashPoint{})
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return &other, process
}

// successor is a process that takes over.
func successor(ctx SpecContext, w *world.World) *world.Process {
	GinkgoHelper()
	process := w.Start(world.CrashPoint{})
	_, err := process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return process
}

func clearFaults(_ context.Context, w *world.World) { w.Carrier.Disarm() }

func freshKey(bits int) []byte {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	Expect(err).NotTo(HaveOccurred(), fmt.Sprint(bits))
	return pkcs8(key)
}

func smallKey([]byte) []byte { return freshKey(1024) }

func ellipticKey([]byte) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	return pkcs8(key)
}

func pkcs8(key any) []byte {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	Expect(err).NotTo(HaveOccurred())
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// logins counts the token exchanges that the identity provider has received.
func logins(w *world.World) int {
	count := 0
	for _, call := range w.Carrier.Calls() {
		if call.Operation == simulator.OpToken {
			count++
		}
	}
	return count
}

// expectNothingTwice expects that no word of a message follows itself, and that no two of the parts
// that its colons separate are equal.
func expectNothingTwice(message string) {
	GinkgoHelper()
	words, parts := strings.Fields(message), strings.Split(message, ": ")
	Expect(slices.Compact(words)).To(HaveLen(len(words)), message)
	slices.Sort(parts)
	Expect(slices.Compact(parts)).To(HaveLen(len(parts)), message)
}
