// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
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

// The key that a rotation introduces.
const (
	nextKeyID  = "key-2"
	nextSecret = "carrier-key-2"
)

// rotation is a service with a change in progress, while the keys of its account change.
type rotation struct {
	world   *world.World
	process *world.Process
	line    int64
	public  map[string]string // the keys registered with the identity provider
	private []byte            // the next key
	since   metav1.Time       // when the account became ready
}

func beginRotation(ctx context.Context) *rotation {
	GinkgoHelper()
	w, process := fixture.Begin(ctx)
	r := &rotation{world: w, process: process, line: w.Line(), public: map[string]string{keyOf(w): publicPEM(w.KeyPEM)}}
	r.private = freshKey(2048)
	Expect(w.Create(ctx, w.Service(site, r.line))).To(Succeed())
	fixture.DriveUntilAccepted(ctx, w, process)
	r.since = fixture.AccountReady(ctx, w).LastTransitionTime
	return r
}

// keyOf is the ID of the first key of a world's account.
func keyOf(w *world.World) string { return w.Account().Spec.Auth.Keys[0].KeyID }

func publicPEM(private []byte) string {
	GinkgoHelper()
	block, _ := pem.Decode(private)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	Expect(err).NotTo(HaveOccurred())
	signer, isRSA := key.(*rsa.PrivateKey)
	Expect(isRSA).To(BeTrue())
	der, err := x509.MarshalPKIXPublicKey(&signer.PublicKey)
	Expect(err).NotTo(HaveOccurred())
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// register registers the keys with the identity provider.
func (r *rotation) register(keys map[string]string) {
	GinkgoHelper()
	Expect(r.world.Carrier.SetKeys(r.world.ClientName, keys)).To(Succeed())
}

// expectUnaffected reconciles the service and then the account. The change must stay in progress,
// and the account must stay ready.
func (r *rotation) expectUnaffected(ctx context.Context) {
	GinkgoHelper()
	for range 3 {
		_, err := r.process.Reconcile(ctx, site)
		Expect(err).NotTo(HaveOccurred())
		fixture.ExpectReady(r.world.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonProgressing)
		_, err = r.process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		ready := fixture.AccountReady(ctx, r.world)
		Expect(ready.Status).To(Equal(metav1.ConditionTrue), ready.Message)
		Expect(ready.LastTransitionTime).To(Equal(r.since), "ready all the time")
		r.world.Clock.Advance(2 * time.Second)
	}
}

// end lets the change complete, and expects that it was sent once.
func (r *rotation) end(ctx context.Context) {
	GinkgoHelper()
	fixture.ExpectReady(r.process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(r.world.Posts(r.line)).To(Equal(1))
}

// tokenStatuses counts the responses of the identity provider, by status.
func tokenStatuses(w *world.World) map[int]int {
	count := map[int]int{}
	for _, call := range w.Carrier.Calls() {
		if call.Operation == simulator.OpToken {
			count[call.Status]++
		}
	}
	return count
}

// keys sets the keys of the account.
func keys(ctx context.Context, w *world.World, edit func([]v1alpha1.SigningKey) []v1alpha1.SigningKey) {
	GinkgoHelper()
	fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Auth.Keys = edit(a.Spec.Auth.Keys) })
}

func nextKey() v1alpha1.SigningKey {
	place := v1alpha1.SecretKeyReference{Name: nextSecret, Key: world.SecretKey}
	return v1alpha1.SigningKey{KeyID: nextKeyID, PrivateKeySecretRef: place}
}

var _ = Describe("A key rotation while a change is in progress", func() {
	It("by new content of the Secret causes one login, when the old token expires", func(ctx SpecContext) {
		r := beginRotation(ctx)
		w := r.world
		r.register(map[string]string{keyOf(w): publicPEM(r.private)})
		secret := &corev1.Secret{}
		Expect(w.Get(ctx, client.ObjectKeyFromObject(w.Secret()), secret)).To(Succeed())
		secret.Data[world.SecretKey] = r.private
		Expect(w.Update(ctx, secret)).To(Succeed())
		r.expectUnaffected(ctx)
		Expect(tokenStatuses(w)).To(Equal(map[int]int{http.StatusOK: 1}), "the token that is there is used on")

		w.Carrier.RevokeTokens() // as a carrier does after a key was lost
		r.expectUnaffected(ctx)
		Expect(tokenStatuses(w)).To(Equal(map[int]int{http.StatusOK: 2}), "and the next comes by the new key")
		r.end(ctx)
	})

	It("uses no token for longer than five minutes after its key was removed", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Delete(ctx, w.Secret())).To(Succeed())
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		gone := w.Clock.Now()
		fixture.ReconcileFor(ctx, w, process, untilLongestPause)
		for _, call := range w.Carrier.Calls() {
			Expect(call.Time).To(BeTemporally("<=", gone.Add(5*time.Minute)))
		}
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonSecretNotFound))
	})

	It("by adding a second key and later removing the first causes one refused login", func(ctx SpecContext) {
		r := beginRotation(ctx)
		w := r.world
		w.Provokes(simulator.RuleAssertion)
		old := keyOf(w)
		r.register(map[string]string{old: r.public[old], nextKeyID: publicPEM(r.private)})
		Expect(w.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: nextSecret},
			Data:       map[string][]byte{world.SecretKey: r.private},
		})).To(Succeed())
		keys(ctx, w, func(all []v1alpha1.SigningKey) []v1alpha1.SigningKey { return append(all, nextKey()) })
		r.expectUnaffected(ctx)

		By("retiring the first at the identity provider")
		r.register(map[string]string{nextKeyID: publicPEM(r.private)})
		w.Carrier.RevokeTokens()
		r.expectUnaffected(ctx)
		refused := tokenStatuses(w)[http.StatusBadRequest]
		Expect(refused).To(Equal(1))

		By("removing it from the account")
		keys(ctx, w, func(all []v1alpha1.SigningKey) []v1alpha1.SigningKey { return all[1:] })
		Expect(w.Delete(ctx, w.Secret())).To(Succeed())
		r.expectUnaffected(ctx)
		Expect(tokenStatuses(w)[http.StatusBadRequest]).To(Equal(refused))
		r.end(ctx)
	})
})

var _ = Describe("Two keys of which the first is refused", func() {
	It("cause one refused login, and then one login for each token", func(ctx SpecContext) {
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
		for range 60 {
			_, err := process.ReconcileAccount(ctx)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(time.Minute)
		}
		// A token is used for 240 of its 300 seconds, so there are 15 of them in an hour.
		Expect(tokenStatuses(w)).To(Equal(map[int]int{http.StatusBadRequest: 1, http.StatusOK: 15}))
	})
})

var _ = DescribeTable("A clock that is slightly wrong has no effect",
	func(ctx SpecContext, off time.Duration, refused int) {
		w := world.New(ctx, fixture.Plane)
		w.Provokes(simulator.RuleAssertion)
		w.Login(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		process := w.Start(world.CrashPoint{}, func(o *controllers.Options) {
			o.Now = func() time.Time { return w.Clock.Now().Add(off) }
		})
		fixture.ReconcileFor(ctx, w, process, time.Hour)
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(tokenStatuses(w)[http.StatusBadRequest]).To(Equal(refused), "it is learned once")
	},
	Entry("30 s ahead", 30*time.Second, 1),
	Entry("30 s behind", -30*time.Second, 0), // an assertion is valid for a minute
	Entry("4 min behind", -4*time.Minute, 1),
)

var _ = Describe("A clock that is set wrong by hours", func() {
	It("is reported as ClockSkew until it is corrected, and nothing is sent twice", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Provokes(simulator.RuleAssertion)
		w.Login(ctx)
		var off time.Duration
		process := w.Start(world.CrashPoint{}, func(o *controllers.Options) {
			o.Now = func() time.Time { return w.Clock.Now().Add(off) }
		})
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)

		off = 2 * time.Hour
		fixture.ReconcileFor(ctx, w, process, untilLongestPause)
		skewed := fixture.AccountReady(ctx, w)
		Expect(skewed.Reason).To(Equal(v1alpha1.ReasonClockSkew))
		Expect(skewed.Message).To(MatchRegexp("clock is 2h0m[01]s behind ours"))
		off = 0
		fixture.ReconcileFor(ctx, w, process, 3*time.Hour)
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))
	})
})
