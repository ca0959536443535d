// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The numbers are those of docs/security-cases.md.

var _ = Describe("The Secret with the key, while a request is in progress,", func() {
	It("may be replaced: the next login is signed with the new key, and the request is polled (48)",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			before := fixture.DriveUntilAccepted(ctx, w, process).OpenRequest()

			w.KeyPEM = freshKey(2048)
			Expect(w.Carrier.SetKeys(w.ClientName, map[string]string{world.KeyID: publicOf(w.KeyPEM)})).To(Succeed())
			Expect(w.Update(ctx, w.Secret())).To(Succeed())
			w.Carrier.RevokeTokens()

			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(before.AttemptID))
			Expect(w.Posts(line)).To(Equal(1))
		})

	It("may be deleted: the account reports it, and the request is polled once it is back (49)",
		func(ctx SpecContext) {
			w, process := fixture.Begin(ctx)
			line := w.Line()
			Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
			before := fixture.DriveUntilAccepted(ctx, w, process).OpenRequest()

			Expect(w.Delete(ctx, w.Secret())).To(Succeed())
			w.Carrier.RevokeTokens()
			fixture.ReconcileFor(ctx, w, process, 20*time.Minute)
			Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonSecretNotFound))
			fixture.ExpectReady(w.Read(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)

			Expect(w.Create(ctx, w.Secret())).To(Succeed())
			fixture.ReconcileFor(ctx, w, process, 10*time.Minute)
			service := process.Drive(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			Expect(service.RequestOf(v1alpha1.OperationPlanChange).AttemptID).To(Equal(before.AttemptID))
			Expect(w.Posts(line)).To(Equal(1))
		})
})

// publicOf is the public half of a key, as registered with the carrier.
func publicOf(private []byte) string {
	GinkgoHelper()
	block, _ := pem.Decode(private)
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	Expect(err).NotTo(HaveOccurred())
	signer, ok := key.(crypto.Signer)
	Expect(ok).To(BeTrue())
	der, err := x509.MarshalPKIXPublicKey(signer.Public())
	Expect(err).NotTo(HaveOccurred())
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}
