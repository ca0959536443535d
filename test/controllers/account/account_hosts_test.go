// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// allowOnly makes a manager allow only some hosts, as its flag --carrier-hosts does.
func allowOnly(hosts ...string) func(*controllers.Options) {
	GinkgoHelper()
	allowed, err := carrier.ParseHosts(strings.Join(hosts, ","))
	Expect(err).NotTo(HaveOccurred())
	return func(o *controllers.Options) { o.CarrierHosts = allowed }
}

// tokensFrom moves the identity provider of an account to another origin.
func tokensFrom(origin string) func(*v1alpha1.CarrierAccount) {
	return func(a *v1alpha1.CarrierAccount) {
		a.Spec.Auth.TokenURL = origin + "/auth/realms/r/protocol/openid-connect/token"
	}
}

var _ = DescribeTable("An account with a host that --carrier-hosts does not list is refused, and nothing is called",
	func(ctx SpecContext, field string, edit func(a *v1alpha1.CarrierAccount, foreign string)) {
		w, foreign := world.New(ctx, fixture.Plane), newUncalledServer()
		w.Login(ctx, func(a *v1alpha1.CarrierAccount) { edit(a, foreign.url) })
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		process := w.Start(world.CrashPoint{}, allowOnly(hostOf(w.URL), "*.carrier.example"))
		fixture.ReconcileFor(ctx, w, process, untilLongestPause)
		ready := fixture.AccountReady(ctx, w)
		Expect(string(ready.Status)+"/"+ready.Reason).To(Equal("False/"+v1alpha1.ReasonInvalid), ready.Message)
		Expect(ready.Message).To(HaveSuffix(field + `: the host "` + hostOf(foreign.url) + `" is not among those that the ` +
			"manager allows: use an allowed host, or ask the administrator of the operator to add it to the manager's flag " +
			"--carrier-hosts"))
		expectNothingTwice(ready.Message)
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)
		Expect(foreign.connections.Load()).To(BeZero(), "no packet to a host that is not listed")
		Expect(w.Carrier.Calls()).To(BeEmpty(), "and none to the other host")
	},
	Entry("if it is the carrier's", "spec.baseURL",
		func(a *v1alpha1.CarrierAccount, foreign string) { a.Spec.BaseURL = foreign }),
	Entry("if it is the identity provider's", "spec.auth.tokenURL",
		func(a *v1alpha1.CarrierAccount, foreign string) { tokensFrom(foreign)(a) }),
	Entry("if both are at it", "spec.baseURL", func(a *v1alpha1.CarrierAccount, foreign string) {
		a.Spec.BaseURL = foreign
		tokensFrom(foreign)(a)
	}),
)

var _ = Describe("With --carrier-hosts", func() {
	It("an account that names only listed hosts works, and stops if an edit names another", func(ctx SpecContext) {
		w, foreign := world.New(ctx, fixture.Plane), newUncalledServer()
		w.Login(ctx, tokensFrom(foreign.url))
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		process := w.Start(world.CrashPoint{}, allowOnly(hostOf(w.URL)))
		Expect(fixture.ReconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonInvalid))

		By("correcting it, without a restart")
		fixture.EditAccount(ctx, w, func(a *v1alpha1.CarrierAccount) { a.Spec.Auth.TokenURL = w.TokenURL() })
		Expect(fixture.ReconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(w.Posts(line)).To(Equal(1))

		By("naming another host again")
		calls := len(w.Carrier.Calls())
		fixture.EditAccount(ctx, w, tokensFrom(foreign.url))
		fixture.ReconcileFor(ctx, w, process, untilLongestPause)
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(v1alpha1.ReasonInvalid))
		Expect(w.Carrier.Calls()).To(HaveLen(calls))
		Expect(foreign.connections.Load()).To(BeZero())
	})

	It("nothing more is called for an account after a restart that no longer lists its host", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		Expect(w.Create(ctx, w.Service(site, w.Line()))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		calls := len(w.Carrier.Calls())
		restarted := w.Start(world.CrashPoint{}, allowOnly("api.carrier.example"))
		fixture.ReconcileFor(ctx, w, restarted, untilLongestPause)
		Expect(fixture.AccountReady(ctx, w).Message).To(ContainSubstring("spec.baseURL"))
		Expect(w.Carrier.Calls()).To(HaveLen(calls), "the request in progress waits, too")

		By("listing it again")
		restarted = w.Start(world.CrashPoint{}, allowOnly("api.carrier.example", hostOf(w.URL)))
		Expect(fixture.ReconcileAccount(ctx, w, restarted).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
		fixture.ExpectReady(restarted.Drive(ctx, site), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})
})
