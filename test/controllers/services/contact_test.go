// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// withContactIn declares a plan whose NTD option needs a contact from a Secret.
func withContactIn(secret string) fixture.Edit {
	return func(s *v1alpha1.BroadbandService) {
		s.Spec.Plan = &v1alpha1.Plan{
			Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
			ContactSecretRef: &v1alpha1.SecretReference{Name: secret},
		}
	}
}

func createContact(ctx SpecContext, w *world.World, held v1alpha1.Contact) {
	GinkgoHelper()
	Expect(w.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "contact"},
		StringData: map[string]string{"name": held.Name, "phone": held.Phone, "email": held.Email},
	})).To(Succeed())
}

// The numbers are those of docs/security-cases.md.

var _ = DescribeTable("A contact in a Secret that the schema would refuse is not sent (62)",
	func(ctx SpecContext, held v1alpha1.Contact, flaw string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		createContact(ctx, w, held)
		Expect(w.Create(ctx, w.Service(site, line, withContactIn("contact")))).To(Succeed())
		for range 12 {
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		service := w.Read(ctx, site)
		fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonContactRequired)
		Expect(world.Ready(service).Message).To(ContainSubstring("Secret contact contains no usable contact: " + flaw))
		Expect(world.Ready(service).Message).NotTo(ContainSubstring("canary"))
		Expect(w.Posts(line)).To(BeZero())
	},
	Entry("with a name of two lines",
		v1alpha1.Contact{Name: "canary\r\nX-Evil: 1", Phone: "0400 000 000", Email: "jo@example.com"}, "name"),
	Entry("with a name of half a megabyte",
		v1alpha1.Contact{Name: strings.Repeat("canary", 80_000), Phone: "0400 000 000", Email: "jo@example.com"}, "name"),
	Entry("with a name of 41 characters, which the carrier does not take",
		v1alpha1.Contact{Name: strings.Repeat("x", 41), Phone: "0400 000 000", Email: "jo@example.com"}, "name"),
	Entry("with an e-mail address of 51 characters, which the carrier does not take",
		v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: strings.Repeat("x", 39) + "@example.com"}, "email"),
	Entry("with a phone number in words",
		v1alpha1.Contact{Name: "Jo", Phone: "<b>canary</b>", Email: "jo@example.com"}, "phone"),
	Entry("with a phone number of two lines",
		v1alpha1.Contact{Name: "Jo", Phone: "0400\n000 000", Email: "jo@example.com"}, "phone"),
	Entry("with an e-mail address of two lines",
		v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "jo@example.com\r\nBcc: canary@evil.example"}, "email"),
	Entry("with two e-mail addresses",
		v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "canary@example.com@evil.example"}, "email"),
	Entry("without a domain",
		v1alpha1.Contact{Name: "Jo", Phone: "0400 000 000", Email: "canary@"}, "email"),
)

var _ = DescribeTable("A contact is sent as JSON strings, whatever its content (62)",
	func(ctx SpecContext, name string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		createContact(ctx, w, v1alpha1.Contact{Name: name + "\n", Phone: "0400 000 000\n", Email: "jo@example.com\n"})
		Expect(w.Create(ctx, w.Service(site, line, withContactIn("contact")))).To(Succeed())
		Expect(w.Create(ctx, w.Order(site, fixture.Reference, func(o *v1alpha1.ServiceOrder) {
			o.Spec.Contact.Name = name
		}))).To(Succeed())
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		fixture.ExpectOrder(process.DriveOrder(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
		for _, path := range []string{"/api/connect/services/plan-changes/request", fixture.OrdersPath} {
			Expect(w.Posted(path)).To(HaveLen(1))
			var body struct {
				PlanName     string `json:"planName"`
				ContactName  string `json:"contactName"`
				ContactPhone string `json:"contactPhone"`
			}
			Expect(json.Unmarshal([]byte(w.Posted(path)[0]), &body)).To(Succeed())
			Expect(body.ContactName).To(Equal(name))
			Expect(body.ContactPhone).To(Equal("0400 000 000"))
			Expect(body.PlanName).To(BeElementOf(world.PlanGiga, world.PlanFast))
		}
	},
	Entry("HTML", `<script>alert("x")</script>`),
	Entry("a template", "{{ .Secret }} ${HOME} $(id) %n"),
	Entry("the end of a string", `Jo","planName":"Free`),
	Entry("backslashes", `Jo\u0022,\`),
	Entry("every direction", "Jo \u202e\u05d0"),
)
