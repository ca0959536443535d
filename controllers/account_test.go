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
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// trouble is a login that cannot work, and how it is fixed.
type trouble struct {
	account func(*v1alpha1.CarrierAccount)
	key     func(good []byte) []byte // changes the content of the Secret; nil return: no Secret
	fault   *simulator.Fault         // what the identity provider answers
	secure  bool                     // without --allow-insecure-carrier
	reason  string
	message string
	mend    func(context.Context, *world.World)
}

var _ = DescribeTable("A Secret that is made right is noticed within 5 seconds, however long that took",
	func(ctx SpecContext, wrong func([]byte) []byte, correct func(context.Context, *world.World)) {
		w := world.New(ctx, plane)
		if data := wrong(w.KeyPEM); data != nil {
			secret := w.Secret()
			secret.Data[world.SecretKey] = data
			Expect(w.Create(ctx, secret)).To(Succeed())
		}
		Expect(w.Create(ctx, w.Account())).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		process := w.Start(world.Cut{})
		for _, after := range []time.Duration{2 * time.Second, 10 * time.Second, time.Hour} {
			next := lookUntil(ctx, w, process, w.Clock.Now().Add(after))
			Expect(accountReady(ctx, w).Status).To(Equal(metav1.ConditionFalse))
			Expect(next).To(And(BeNumerically(">", 0), BeNumerically("<=", 5*time.Second)))
		}
		correct(ctx, w)
		lookUntil(ctx, w, process, w.Clock.Now().Add(5*time.Second))
		Expect(accountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued), accountReady(ctx, w).Message)
	},
	Entry("one that was missing", func([]byte) []byte { return nil },
		func(ctx context.Context, w *world.World) { Expect(w.Create(ctx, w.Secret())).To(Succeed()) }),
	Entry("one without the key", func([]byte) []byte { return []byte{} }, putKey),
	Entry("one with an unusable key", smallKey, putKey),
	Entry("one with a key that nobody knows", func([]byte) []byte { return freshKey(2048) }, putKey),
)

// lookUntil reconciles an account whenever it is due, up to a time, and returns when it is due
// next.
func lookUntil(ctx context.Context, w *world.World, process *world.Process, end time.Time) time.Duration {
	GinkgoHelper()
	for {
		result, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		if left := end.Sub(w.Clock.Now()); result.RequeueAfter == 0 || result.RequeueAfter > left {
			w.Clock.Advance(left)
			return result.RequeueAfter
		}
		w.Clock.Advance(result.RequeueAfter)
	}
}

var _ = DescribeTable("An account that cannot log in",
	func(ctx SpecContext, story trouble) {
		w := world.New(ctx, plane)
		if data := orSame(story.key)(w.KeyPEM); data != nil {
			secret := w.Secret()
			secret.Data[world.SecretKey] = data
			Expect(w.Create(ctx, secret)).To(Succeed())
		}
		if story.fault != nil {
			fault := *story.fault
			fault.Times = 1000
			Expect(w.Carrier.FailNext("Token", fault)).To(Succeed())
		}
		Expect(w.Create(ctx, w.Account(orNothing(story.account)))).To(Succeed())
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process := w.Start(world.Cut{}, func(o *controllers.Options) { o.AllowInsecure = !story.secure })

		By("looking at it for an hour")
		lookFor(ctx, w, process, time.Hour)
		ready := accountReady(ctx, w)
		Expect(ready.Reason).To(Equal(story.reason), ready.Message)
		Expect(ready.Status).To(Equal(metav1.ConditionFalse))
		Expect(ready.Message).To(ContainSubstring(story.message))
		Expect(ready.Message).NotTo(ContainSubstring("PRIVATE KEY"))
		Expect(len(w.Carrier.Calls())).To(BeNumerically("<=", 60), "no hot loop")
		Expect(world.Ready(process.Drive(ctx, site)).Reason).To(Equal(v1alpha1.ReasonAccountNotReady))

		if story.mend == nil {
			return
		}
		By("mending it, without a restart")
		story.mend(ctx, w)
		lookFor(ctx, w, process, 10*time.Minute)
		Expect(accountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("because its Secret is missing", trouble{
		key:    func([]byte) []byte { return nil },
		reason: v1alpha1.ReasonSecretNotFound, message: "Secret carrier-key does not exist",
		mend: func(ctx context.Context, w *world.World) { Expect(w.Create(ctx, w.Secret())).To(Succeed()) },
	}),
	Entry("because its Secret lacks the key", trouble{
		key: func([]byte) []byte { return []byte{} }, reason: v1alpha1.ReasonSecretNotFound, message: "tls.key",
		mend: putKey,
	}),
	Entry("because its key is no RSA key", trouble{
		key: ellipticKey, reason: v1alpha1.ReasonKeyInvalid, message: "RSA", mend: putKey,
	}),
	Entry("because its key is too small", trouble{
		key: smallKey, reason: v1alpha1.ReasonKeyInvalid, message: "2048", mend: putKey,
	}),
	Entry("because its key is no PEM", trouble{
		key:    func([]byte) []byte { return []byte("not a key") },
		reason: v1alpha1.ReasonKeyInvalid, message: "PEM", mend: putKey,
	}),
	Entry("because the identity provider does not know the key", trouble{
		key: func([]byte) []byte { return freshKey(2048) }, reason: v1alpha1.ReasonTokenRejected, mend: putKey,
		message: "check auth.clientName, the keyID, and that the identity provider has the public half of this key",
	}),
	Entry("because the identity provider refuses it", trouble{
		fault: &simulator.Fault{Kind: simulator.FaultStatus, Status: 401}, reason: v1alpha1.ReasonTokenRejected, mend: disarm,
	}),
	Entry("because the identity provider is down", trouble{
		fault: &simulator.Fault{Kind: simulator.FaultPage, Status: 503}, reason: v1alpha1.ReasonUnreachable, mend: disarm,
	}),
	Entry("because the identity provider cannot be reached", trouble{
		fault: &simulator.Fault{Kind: simulator.FaultReset}, reason: v1alpha1.ReasonUnreachable, mend: disarm,
	}),
	Entry("because tokens live too briefly", trouble{
		fault: &simulator.Fault{
			Kind: simulator.FaultBody, Status: 200,
			Body: `{"access_token":"x","token_type":"Bearer","expires_in":3}`,
		},
		reason: v1alpha1.ReasonTokenTooShort, mend: disarm,
	}),
	Entry("because plain http is not allowed", trouble{
		secure: true, reason: v1alpha1.ReasonInsecureCarrier, message: "http",
	}),
	Entry("because its identity provider is at a loopback address", trouble{
		account: secureAt("https://api.carrier.example", "https://127.0.0.1:1"), secure: true,
		reason: v1alpha1.ReasonInsecureCarrier, message: "loopback",
	}),
	Entry("because its identity provider is this machine by name", trouble{
		account: secureAt("https://api.carrier.example", "https://localhost:1"), secure: true,
		reason: v1alpha1.ReasonInsecureCarrier, message: "loopback",
	}),
	Entry("because its identity provider is a metadata service", trouble{
		account: secureAt("https://api.carrier.example", "https://169.254.169.254"), secure: true,
		reason: v1alpha1.ReasonInsecureCarrier, message: "metadata",
	}),
	Entry("because its base URL ends in a dot", trouble{
		account: secureAt("https://api.carrier.example.", "https://id.carrier.example"), secure: true,
		reason: v1alpha1.ReasonInvalid, message: "spec.baseURL",
	}),
	Entry("because its base URL has the port 0", trouble{
		account: secureAt("https://api.carrier.example:0", "https://id.carrier.example"), secure: true,
		reason: v1alpha1.ReasonInvalid, message: "spec.baseURL",
	}),
	Entry("because its CA bundle is none", trouble{
		account: func(a *v1alpha1.CarrierAccount) {
			a.Spec.CABundle = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"
		},
		reason: v1alpha1.ReasonInvalid, message: "caBundle",
		mend: func(ctx context.Context, w *world.World) {
			editAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.CABundle = "" })
		},
	}),
)

var _ = Describe("An account", func() {
	It("that loses its login while in use is noticed, and its services wait", func(ctx SpecContext) {
		w, process := begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		inFlight(ctx, w, process)
		refusal := simulator.Fault{Kind: simulator.FaultStatus, Status: 401, Times: 1000}
		Expect(w.Carrier.FailNext("Token", refusal)).To(Succeed())
		w.Carrier.RevokeTokens()
		lookFor(ctx, w, process, 20*time.Minute)
		Expect(accountReady(ctx, w).Status).To(Equal(metav1.ConditionFalse))
		Expect(world.Ready(w.Read(ctx, site)).Reason).To(Equal(v1alpha1.ReasonAccountNotReady))
		w.Carrier.Disarm()
		lookFor(ctx, w, process, 10*time.Minute)
		expectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("takes the second key while the first is being retired", func(ctx SpecContext) {
		w := world.New(ctx, plane)
		secret := w.Secret()
		secret.Data["old.key"] = freshKey(2048)
		Expect(w.Create(ctx, secret)).To(Succeed())
		Expect(w.Create(ctx, w.Account(func(a *v1alpha1.CarrierAccount) {
			place := v1alpha1.SecretKeyReference{Name: world.SecretName, Key: "old.key"}
			old := v1alpha1.SigningKey{KeyID: "old", PrivateKeySecretRef: place}
			a.Spec.Auth.Keys = append([]v1alpha1.SigningKey{old}, a.Spec.Auth.Keys...)
		}))).To(Succeed())
		process := w.Start(world.Cut{})
		_, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(accountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
	})

	It("at a deprecated API version raises a warning once", func(ctx SpecContext) {
		w, process := begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion = 2 })
		_, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		warned := 0
		for _, line := range w.Events.All() {
			if strings.Contains(line, "DeprecatedAPIVersion") {
				warned++
			}
		}
		Expect(warned).To(Equal(1))
	})
})

// lookFor reconciles account and service for a span of time, whenever they are due.
func lookFor(ctx context.Context, w *world.World, process *world.Process, span time.Duration) {
	GinkgoHelper()
	for end := w.Clock.Now().Add(span); w.Clock.Now().Before(end); {
		account, err := process.LookAtAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		service, err := process.Look(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		wait := time.Minute
		for _, asked := range []time.Duration{account.RequeueAfter, service.RequeueAfter} {
			if asked > 0 {
				wait = min(wait, asked)
			}
		}
		w.Clock.Advance(wait)
	}
}

func accountReady(ctx context.Context, w *world.World) metav1.Condition {
	GinkgoHelper()
	account := w.Account()
	Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	return world.Condition(account.Status.Conditions, v1alpha1.ConditionReady)
}

func editAccount(ctx context.Context, w *world.World, edit func(*v1alpha1.CarrierAccount)) {
	GinkgoHelper()
	account := w.Account()
	Expect(w.Get(ctx, client.ObjectKeyFromObject(account), account)).To(Succeed())
	edit(account)
	Expect(w.Update(ctx, account)).To(Succeed())
}

func putKey(ctx context.Context, w *world.World) {
	secret := &corev1.Secret{}
	Expect(w.Get(ctx, client.ObjectKeyFromObject(w.Secret()), secret)).To(Succeed())
	secret.Data = w.Secret().Data
	Expect(w.Update(ctx, secret)).To(Succeed())
}

// secureAt moves the carrier and the identity provider to other origins.
func secureAt(carrier, provider string) func(*v1alpha1.CarrierAccount) {
	return func(a *v1alpha1.CarrierAccount) {
		a.Spec.BaseURL = carrier
		a.Spec.Auth.TokenURL = provider + "/auth/realms/r/protocol/openid-connect/token"
	}
}

func disarm(_ context.Context, w *world.World) { w.Carrier.Disarm() }

func orSame(change func([]byte) []byte) func([]byte) []byte {
	if change == nil {
		return func(data []byte) []byte { return data }
	}
	return change
}

func ellipticKey([]byte) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	return pkcs8(key)
}

func smallKey([]byte) []byte { return freshKey(1024) }

func freshKey(bits int) []byte {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	Expect(err).NotTo(HaveOccurred(), fmt.Sprint(bits))
	return pkcs8(key)
}

func pkcs8(key any) []byte {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	Expect(err).NotTo(HaveOccurred())
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}
