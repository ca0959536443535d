// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// noCertificate has the form of a certificate, and is none.
const noCertificate = "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"

// loginFailure is a login that cannot work, and how it is fixed.
type loginFailure struct {
	account func(*v1alpha1.CarrierAccount)
	key     func(good []byte) []byte // changes the content of the Secret; nil return: no Secret
	fault   *simulator.Fault         // the response of the identity provider
	secure  bool                     // without --allow-insecure-carrier
	reason  string
	message string // CLIENT stands for the name of the client
	whole   bool   // whether that is the whole message
	fix     func(context.Context, *world.World)
}

var _ = DescribeTable("A corrected Secret is noticed within 5 seconds, however long it was wrong",
	func(ctx SpecContext, wrong func([]byte) []byte, correct func(context.Context, *world.World)) {
		w := world.New(ctx, fixture.Plane)
		w.Provokes(simulator.RuleAssertion)
		if data := wrong(w.KeyPEM); data != nil {
			secret := w.Secret()
			secret.Data[world.SecretKey] = data
			Expect(w.Create(ctx, secret)).To(Succeed())
		}
		Expect(w.Create(ctx, w.Account())).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		process := w.Start(world.CrashPoint{})
		for _, after := range []time.Duration{2 * time.Second, 10 * time.Second, untilLongestPause} {
			next := reconcileAccountUntil(ctx, w, process, w.Clock.Now().Add(after))
			Expect(fixture.AccountReady(ctx, w).Status).To(Equal(metav1.ConditionFalse))
			Expect(next).To(And(BeNumerically(">", 0), BeNumerically("<=", 5*time.Second)))
		}
		correct(ctx, w)
		reconcileAccountUntil(ctx, w, process, w.Clock.Now().Add(5*time.Second))
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued),
			fixture.AccountReady(ctx, w).Message)
	},
	Entry("one that was missing", func([]byte) []byte { return nil },
		func(ctx context.Context, w *world.World) { Expect(w.Create(ctx, w.Secret())).To(Succeed()) }),
	Entry("one without the key", func([]byte) []byte { return []byte{} }, putKey),
	Entry("one with an unusable key", smallKey, putKey),
	Entry("one with an unknown key", func([]byte) []byte { return freshKey(2048) }, putKey),
)

// reconcileAccountUntil reconciles an account whenever it is due, up to a time, and returns when it
// is due next.
func reconcileAccountUntil(ctx context.Context, w *world.World, process *world.Process, end time.Time) time.Duration {
	GinkgoHelper()
	for {
		result, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		if left := end.Sub(w.Clock.Now()); result.RequeueAfter == 0 || result.RequeueAfter > left {
			w.Clock.Advance(left)
			return result.RequeueAfter
		}
		w.Clock.Advance(result.RequeueAfter)
	}
}

var _ = DescribeTable("An account that cannot log in",
	func(ctx SpecContext, scenario loginFailure) {
		w := world.New(ctx, fixture.Plane)
		w.Provokes(simulator.RuleAssertion)
		if data := orSame(scenario.key)(w.KeyPEM); data != nil {
			secret := w.Secret()
			secret.Data[world.SecretKey] = data
			Expect(w.Create(ctx, secret)).To(Succeed())
		}
		if scenario.fault != nil {
			fault := *scenario.fault
			fault.Times = 1000
			Expect(w.Carrier.FailNext("Token", fault)).To(Succeed())
		}
		Expect(w.Create(ctx, w.Account(fixture.OrNoop(scenario.account)))).To(Succeed())
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process := w.Start(world.CrashPoint{}, func(o *controllers.Options) { o.AllowInsecure = !scenario.secure })

		By("reconciling it until the pauses have become longest")
		fixture.ReconcileFor(ctx, w, process, untilLongestPause)
		ready := fixture.AccountReady(ctx, w)
		Expect(ready.Reason).To(Equal(scenario.reason), ready.Message)
		Expect(ready.Status).To(Equal(metav1.ConditionFalse))
		message := strings.Replace(scenario.message, "CLIENT", w.ClientName, 1)
		Expect(ready.Message).To(ContainSubstring(message))
		Expect(ready.Message == message || !scenario.whole).To(BeTrue(), ready.Message)
		expectNothingTwice(ready.Message)
		Expect(ready.Message).NotTo(ContainSubstring("PRIVATE KEY"))
		Expect(len(w.Carrier.Calls())).To(BeNumerically("<=", 15), "no hot loop")
		Expect(world.Ready(process.Drive(ctx, site)).Reason).To(Equal(v1alpha1.ReasonAccountNotReady))

		if scenario.fix == nil {
			return
		}
		By("correcting it, without a restart")
		scenario.fix(ctx, w)
		fixture.ReconcileFor(ctx, w, process, 10*time.Minute)
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("because its Secret is missing", loginFailure{
		key:    func([]byte) []byte { return nil },
		reason: v1alpha1.ReasonSecretNotFound, message: "Secret carrier-key does not exist",
		fix: func(ctx context.Context, w *world.World) { Expect(w.Create(ctx, w.Secret())).To(Succeed()) },
	}),
	Entry("because its Secret lacks the key", loginFailure{
		key: func([]byte) []byte { return []byte{} }, reason: v1alpha1.ReasonSecretNotFound, message: "tls.key",
		fix: putKey,
	}),
	Entry("because its key is no RSA key", loginFailure{
		key: ellipticKey, reason: v1alpha1.ReasonKeyInvalid, message: "RSA", fix: putKey,
	}),
	Entry("because its key is too small", loginFailure{
		key: smallKey, reason: v1alpha1.ReasonKeyInvalid, message: "2048", fix: putKey,
	}),
	Entry("because its key is no PEM", loginFailure{
		key:    func([]byte) []byte { return []byte("not a key") },
		reason: v1alpha1.ReasonKeyInvalid, message: "PEM", fix: putKey,
	}),
	Entry("because the identity provider does not know the key", loginFailure{
		key: func([]byte) []byte { return freshKey(2048) }, reason: v1alpha1.ReasonTokenRejected, fix: putKey,
		message: `: check auth.clientName "CLIENT", keyID "key-1", and that the identity provider has the public half of ` +
			`this key`,
	}),
	Entry("because the identity provider refuses it", loginFailure{
		fault: &simulator.Fault{
			Kind: simulator.FaultBody, Status: 401,
			Body: `{"error":"unauthorized_client","error_description":"Invalid client or Invalid client credentials"}`,
		},
		reason: v1alpha1.ReasonTokenRejected, fix: clearFaults, whole: true,
		message: "no access token: the identity provider answered 401 (unauthorized_client: Invalid client or Invalid " +
			`client credentials): check auth.clientName "CLIENT", keyID "key-1", and that the identity provider has ` +
			"the public half of this key",
	}),
	Entry("because the identity provider is down", loginFailure{
		fault: &simulator.Fault{Kind: simulator.FaultPage, Status: 503}, reason: v1alpha1.ReasonUnreachable, fix: clearFaults,
	}),
	Entry("because the identity provider cannot be reached", loginFailure{
		fault: &simulator.Fault{Kind: simulator.FaultReset}, reason: v1alpha1.ReasonUnreachable, fix: clearFaults,
	}),
	Entry("because tokens expire too soon", loginFailure{
		fault: &simulator.Fault{
			Kind: simulator.FaultBody, Status: 200,
			Body: `{"access_token":"x","token_type":"Bearer","expires_in":3}`,
		},
		reason: v1alpha1.ReasonTokenTooShort, fix: clearFaults,
	}),
	Entry("because plain http is not allowed", loginFailure{
		secure: true, reason: v1alpha1.ReasonInsecureCarrier, message: "http",
	}),
	Entry("because its identity provider is at a loopback address", loginFailure{
		account: secureAt("https://api.carrier.example", "https://127.0.0.1:1"), secure: true,
		reason: v1alpha1.ReasonInsecureCarrier, message: "loopback",
	}),
	Entry("because its identity provider is this machine by name", loginFailure{
		account: secureAt("https://api.carrier.example", "https://localhost:1"), secure: true,
		reason: v1alpha1.ReasonInsecureCarrier, message: "loopback",
	}),
	Entry("because its identity provider is a metadata service", loginFailure{
		account: secureAt("https://api.carrier.example", "https://169.254.169.254"), secure: true,
		reason: v1alpha1.ReasonInsecureCarrier, message: "metadata",
	}),
	Entry("because its CA bundle is not valid", loginFailure{
		account: func(a *v1alpha1.CarrierAccount) {
			a.Spec.CABundle = noCertificate
		},
		reason: v1alpha1.ReasonInvalid, message: "caBundle",
		fix: func(ctx context.Context, w *world.World) {
			fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.CABundle = "" })
		},
	}),
)

var _ = DescribeTable("An account whose base URL is in no canonical form is refused by the API server",
	func(ctx SpecContext, baseURL string) {
		w := world.New(ctx, fixture.Plane)
		err := w.Create(ctx, w.Account(secureAt(baseURL, "https://id.carrier.example")))
		Expect(err).To(MatchError(ContainSubstring("spec.baseURL")))
		Expect(err).To(MatchError(ContainSubstring("must be an origin in its canonical form")))
	},
	Entry("because it ends in a dot", "https://api.carrier.example."),
	Entry("because it has the port 0", "https://api.carrier.example:0"),
)

var _ = Describe("An account", func() {
	It("that loses its login while in use becomes not Ready, and its services wait", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		refusal := simulator.Fault{Kind: simulator.FaultStatus, Status: 401, Times: 1000}
		Expect(w.Carrier.FailNext("Token", refusal)).To(Succeed())
		w.Carrier.RevokeTokens()
		fixture.ReconcileFor(ctx, w, process, 20*time.Minute)
		Expect(fixture.AccountReady(ctx, w).Status).To(Equal(metav1.ConditionFalse))
		Expect(world.Ready(w.Read(ctx, site)).Reason).To(Equal(v1alpha1.ReasonAccountNotReady))
		w.Carrier.Disarm()
		fixture.ReconcileFor(ctx, w, process, 10*time.Minute)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})

	It("whose identity provider resets each connection is written once", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		Expect(w.Create(ctx, w.Secret())).To(Succeed())
		Expect(w.Create(ctx, w.Account())).To(Succeed())
		Expect(w.Carrier.FailNext("Token", simulator.Fault{Kind: simulator.FaultReset, Times: 1000})).To(Succeed())
		process := w.Start(world.CrashPoint{})
		reconcileAccountUntil(ctx, w, process, w.Clock.Now().Add(5*time.Second))
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonUnreachable))
		written := w.ReadAccount(ctx).ResourceVersion
		reconcileAccountUntil(ctx, w, process, w.Clock.Now().Add(time.Hour))
		Expect(logins(w)).To(BeNumerically(">", 10))
		Expect(w.ReadAccount(ctx).ResourceVersion).To(Equal(written), fixture.AccountReady(ctx, w).Message)
	})

	It("uses the second key while the first is being retired", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Provokes(simulator.RuleAssertion)
		secret := w.Secret()
		secret.Data["old.key"] = freshKey(2048)
		Expect(w.Create(ctx, secret)).To(Succeed())
		Expect(w.Create(ctx, w.Account(func(a *v1alpha1.CarrierAccount) {
			place := v1alpha1.SecretKeyReference{Name: world.SecretName, Key: "old.key"}
			old := v1alpha1.SigningKey{KeyID: "old", PrivateKeySecretRef: place}
			a.Spec.Auth.Keys = append([]v1alpha1.SigningKey{old}, a.Spec.Auth.Keys...)
		}))).To(Succeed())
		process := w.Start(world.CrashPoint{})
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
	})

	It("that an edit makes unusable still shows what is known of the carrier", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		process.Drive(ctx, site)
		Expect(fixture.ReconcileAccount(ctx, w, process).Status).To(Equal(metav1.ConditionTrue))
		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.CABundle = noCertificate })
		Expect(fixture.ReconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonInvalid))
		known := world.Condition(w.ReadAccount(ctx).Status.Conditions, v1alpha1.ConditionCarrier)
		Expect(known.Reason).To(Equal(v1alpha1.ReasonAnswering))
		Expect(known.ObservedGeneration).To(Equal(w.ReadAccount(ctx).Generation))
	})

	It("at a deprecated API version raises a warning once", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.APIVersion = 2 })
		_, err := process.ReconcileAccount(ctx)
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

func orSame(change func([]byte) []byte) func([]byte) []byte {
	if change == nil {
		return func(data []byte) []byte { return data }
	}
	return change
}
