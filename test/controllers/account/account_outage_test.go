// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// observed is a manager with services that are in sync and read every few minutes.
type observed struct {
	*world.World

	manager *world.Manager
	count   int
}

func observe(ctx context.Context, count int) *observed {
	GinkgoHelper()
	w := world.New(ctx, fixture.Plane)
	o := &observed{World: w, manager: w.Manage(ctx, fixture.User), count: count}
	w.AwaitLogin(ctx, world.Unlimited)
	for i := range count {
		Expect(w.Create(ctx, w.Service(fmt.Sprintf("site-%d", i), w.Line(), func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan = nil
			s.Spec.Observe = v1alpha1.Observe{HealthInterval: "5m", CancellationInterval: "5m"}
		}))).To(Succeed())
	}
	o.await(ctx, v1alpha1.ReasonTokenIssued, v1alpha1.ReasonInSync)
	o.pass(ctx, 20*time.Minute)
	return o
}

// pass lets time pass in steps that are shorter than any pause.
func (o *observed) pass(ctx context.Context, long time.Duration) {
	GinkgoHelper()
	advanceInSteps(ctx, o.World, o.manager, long, 5*time.Second)
}

// await waits until the account and all services show these reasons.
func (o *observed) await(ctx context.Context, account, services string) {
	GinkgoHelper()
	Eventually(ctx, func(g Gomega) {
		g.Expect(fixture.AccountReady(ctx, o.World).Reason).To(Equal(account))
		for i := range o.count {
			g.Expect(world.Ready(o.Read(ctx, fmt.Sprintf("site-%d", i))).Reason).To(Equal(services))
		}
	}).WithTimeout(time.Minute).Should(Succeed())
}

// written counts the writes of the account's status and those of the services' status.
func (o *observed) written() [2]int {
	writes := fixture.Audit.Writes(fixture.User, o.Namespace)
	return [2]int{writes["update carrieraccounts/status"], writes["update broadbandservices/status"]}
}

// expectWritten expects that the account was written so often since then, and each of the services.
func (o *observed) expectWritten(ctx context.Context, since [2]int, each int) {
	GinkgoHelper()
	Eventually(ctx, o.written).WithTimeout(time.Minute).Should(Equal([2]int{since[0] + each, since[1] + each*o.count}))
}

// refuseTokens makes the carrier, but not the identity provider, answer with a status.
func refuseTokens(w *world.World, status int) {
	GinkgoHelper()
	fault := simulator.Fault{Kind: simulator.FaultStatus, Status: status, Times: 10_000}
	for _, call := range []string{"GET Reclaim", "GET CancellationRead", "POST Health", "GET Health", "POST PlanChange"} {
		Expect(w.Carrier.FailNext(call, fault)).To(Succeed())
	}
}

var _ = Describe("An identity provider that fails", func() {
	It("for less than a minute causes no write; for longer, one of each object", func(ctx SpecContext) {
		o := observe(ctx, 3)
		before, writes := o.written(), o.manager.Writes()
		fault := simulator.Fault{Kind: simulator.FaultPage, Status: http.StatusBadGateway}

		By("failing once, and three times in a row")
		for _, fault.Times = range []int{1, 3} {
			Expect(o.Carrier.FailNext("Token", fault)).To(Succeed())
			since := len(o.Carrier.Calls())
			o.pass(ctx, 12*time.Minute)
			Expect(o.Carrier.Armed()).To(BeZero())
			Expect(o.manager.Writes()).To(Equal(writes))
			Expect(fixture.Calls(o.World, since)[simulator.OpHealth]).To(BeNumerically(">=", 2*o.count),
				"health is read as before")
		}

		By("failing for an hour")
		fault.Times = 1000
		Expect(o.Carrier.FailNext("Token", fault)).To(Succeed())
		since := len(o.Carrier.Calls())
		o.pass(ctx, time.Hour)
		o.await(ctx, v1alpha1.ReasonUnreachable, v1alpha1.ReasonAccountNotReady)
		o.expectWritten(ctx, before, 1)
		Expect(fixture.AccountReady(ctx, o.World).Message).To(HaveSuffix(
			"; the login is retried: if it keeps failing, check auth.tokenURL"))
		Expect(fixture.Calls(o.World, since)[simulator.OpToken]).To(BeNumerically("<=", 18), "5 s, 10 s, … 5 min")

		By("answering again")
		o.Carrier.Disarm()
		o.pass(ctx, 6*time.Minute)
		o.await(ctx, v1alpha1.ReasonTokenIssued, v1alpha1.ReasonInSync)
		o.expectWritten(ctx, before, 2)
	})
})

var _ = Describe("A carrier that refuses all tokens", func() {
	It("is reported once, and asked by one free call for each token, until it accepts one", func(ctx SpecContext) {
		o := observe(ctx, 3)
		before, since := o.written(), len(o.Carrier.Calls())

		By("refusing for an hour")
		refuseTokens(o.World, http.StatusUnauthorized)
		o.pass(ctx, time.Hour)
		o.await(ctx, v1alpha1.ReasonTokenNotAccepted, v1alpha1.ReasonAccountNotReady)
		o.expectWritten(ctx, before, 1)
		made := fixture.Calls(o.World, since)
		Expect(made[simulator.OpToken]).To(And(BeNumerically(">=", 12), BeNumerically("<=", 20)), "5 s, 10 s, … 5 min")
		reads := made[simulator.OpHealth] + made[simulator.OpCancellationRead]
		Expect(reads).To(BeNumerically("<=", 3*o.count), "several may be made with one token")
		Expect(made[fixture.TokenCheck]).To(BeNumerically("<=", made[simulator.OpToken]))

		By("refusing after a restart of the manager")
		writes := o.manager.Writes()
		o.manager.End()
		o.manager = o.Manage(ctx, fixture.User)
		o.pass(ctx, 10*time.Minute)
		Expect(o.manager.Writes()).To(BeZero(), "the former one wrote %d times", writes)

		By("accepting them again")
		o.Carrier.Disarm()
		o.pass(ctx, 6*time.Minute)
		o.await(ctx, v1alpha1.ReasonTokenIssued, v1alpha1.ReasonInSync)
		o.expectWritten(ctx, before, 2)
	})
})

var _ = DescribeTable("An account whose tokens the carrier has refused",
	func(ctx SpecContext, answer int, reason string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		refuseTokens(w, http.StatusUnauthorized)
		for range 10 { // the account is reconciled at once when the second token is refused
			result, err := process.Reconcile(ctx, site)
			Expect(err).NotTo(HaveOccurred())
			if fixture.ReconcileAccount(ctx, w, process).Reason == v1alpha1.ReasonTokenNotAccepted {
				break
			}
			w.Clock.Advance(result.RequeueAfter)
		}
		ready := fixture.AccountReady(ctx, w)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonTokenNotAccepted), ready.Message)
		Expect(ready.Message).To(ContainSubstring("check that spec.baseURL and spec.auth.tokenURL belong to the same"))
		fixture.ExpectReady(process.Drive(ctx, site), metav1.ConditionFalse, v1alpha1.ReasonAccountNotReady)

		By("answering the next free call")
		w.Carrier.Disarm()
		if answer != http.StatusOK {
			refuseTokens(w, answer)
		}
		since := len(w.Carrier.Calls())
		reconcileAccountUntil(ctx, w, process, w.Clock.Now().Add(4*time.Minute))
		Expect(fixture.AccountReady(ctx, w).Reason).To(Equal(reason), fixture.AccountReady(ctx, w).Message)
		made := fixture.Calls(w, since)
		Expect(made[fixture.TokenCheck]).To(BeNumerically(">=", 1))
		if answer < http.StatusInternalServerError && answer != http.StatusTooManyRequests {
			Expect(made[fixture.TokenCheck]).To(Equal(made[simulator.OpToken]), "one for each token")
		}
		Expect(made).To(HaveLen(2), "no other call: %v", made)
		Expect(w.Posts(line)).To(BeZero())
	},
	Entry("is ready once the carrier answers as usual", 200, v1alpha1.ReasonTokenIssued),
	Entry("is ready after a 404, which is about the request", 404, v1alpha1.ReasonTokenIssued),
	Entry("is not ready after another 401", 401, v1alpha1.ReasonTokenNotAccepted),
	Entry("is not ready after a 503, which proves nothing", 503, v1alpha1.ReasonTokenNotAccepted),
	Entry("is not ready after a 429, which proves nothing", 429, v1alpha1.ReasonTokenNotAccepted),
)

var _ = Describe("A Secret with the key that the API server does not let the operator read", func() {
	begun := func(ctx context.Context, answer error) (*world.World, *world.Process) {
		w, process := fixture.Begin(ctx)
		w.Clock.Advance(time.Hour) // the token has expired
		process.Seam.FailRead = func() error { return answer }
		return w, process
	}

	It("because it fails changes nothing: the account is reconciled again", func(ctx SpecContext) {
		w, process := begun(ctx, apierrors.NewServiceUnavailable("starting"))
		before := w.ReadAccount(ctx)
		_, err := process.ReconcileAccount(ctx)
		Expect(err).To(MatchError(ContainSubstring("log in: read Secret carrier-key: ")))
		Expect(w.ReadAccount(ctx)).To(Equal(before))
	})

	It("because of a role is reported, and read again", func(ctx SpecContext) {
		secrets := corev1.Resource("secrets")
		w, process := begun(ctx, apierrors.NewForbidden(secrets, world.SecretName, errors.New("no role")))
		result, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(BeNumerically(">", 0))
		ready := fixture.AccountReady(ctx, w)
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonAPIServerRefused), ready.Message)
		Expect(ready.Message).To(HavePrefix("the API server does not let the operator log in: read Secret carrier-key: "))
		process.Seam.FailRead = nil
		w.Clock.Advance(5 * time.Second)
		Expect(fixture.ReconcileAccount(ctx, w, process).Reason).To(Equal(v1alpha1.ReasonTokenIssued))
	})
})
