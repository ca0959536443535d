// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// queries are the queries of the world.
func (f *fleetWorld) queries(ctx context.Context) []v1alpha1.PlanOptionsQuery {
	GinkgoHelper()
	var queries v1alpha1.PlanOptionsQueryList
	Expect(plane.Live.List(ctx, &queries, client.InNamespace(f.Namespace))).To(Succeed())
	return queries.Items
}

// optionCalls counts the calls to the carrier that a query makes.
func (f *fleetWorld) optionCalls() int { return f.optionPosts() + f.optionPolls() }

func (f *fleetWorld) optionPosts() int { return f.optionCallsBy(http.MethodPost) }

func (f *fleetWorld) optionPolls() int { return f.optionCallsBy(http.MethodGet) }

func (f *fleetWorld) optionCallsBy(method string) int {
	count := 0
	for _, call := range f.Carrier.Calls() {
		if call.Operation == simulator.OpPlanOptions && call.Method == method {
			count++
		}
	}
	return count
}

// deploy creates services whose plans are as declared, waits until the operator knows that, and
// returns a folder with manifests of another plan.
func (f *fleetWorld) deploy(ctx context.Context, number int) (folder string) {
	GinkgoHelper()
	folder = GinkgoT().TempDir()
	for i := range number {
		name := fmt.Sprintf("site-%04d", i)
		Expect(f.Create(ctx, f.Service(name, f.line(name), withPlan(world.PlanSlow)))).To(Succeed())
		f.manifest(folder, name, withPlan(world.PlanFast))
	}
	Eventually(func(g Gomega) {
		var services v1alpha1.BroadbandServiceList
		g.Expect(plane.Live.List(ctx, &services, client.InNamespace(f.Namespace))).To(Succeed())
		for i := range services.Items {
			g.Expect(world.Ready(&services.Items[i]).Reason).To(Equal(v1alpha1.ReasonInSync))
		}
	}).WithTimeout(5 * time.Minute).WithPolling(time.Second).Should(Succeed())
	return folder
}

// withoutProgress discards the lines about the progress, of which a slow machine has more.
func withoutProgress(edit func(*command.Environment)) func(*command.Environment) {
	return func(environment *command.Environment) {
		edit(environment)
		all := environment.Err
		environment.Err = lines(func(text []byte) (int, error) {
			if !strings.HasPrefix(string(text), "error:") {
				return len(text), nil
			}
			return all.Write(text)
		})
	}
}

// lines is a function that writes.
type lines func([]byte) (int, error)

func (l lines) Write(text []byte) (int, error) { return l(text) }

// pricedPlan is the part of a plan that says how old its prices are.
type pricedPlan struct {
	Objects []struct {
		Name       string    `json:"name"`
		PricesFrom string    `json:"pricesFrom"`
		PricedAt   time.Time `json:"pricedAt"`
		Notes      []string  `json:"notes"`
	} `json:"objects"`
}

func readPlan(text string) pricedPlan {
	GinkgoHelper()
	var plan pricedPlan
	Expect(json.Unmarshal([]byte(text), &plan)).To(Succeed(), text)
	return plan
}

var _ = Describe("plan --prices", func() {
	It("reads the present prices with a query that it removes", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanSlow))
		file := f.manifest(GinkgoT().TempDir(), "site-one", withPlan(world.PlanNFAS), asksAlways)
		p := newPlugin()
		ran := p.run(ctx, "plan", "-f", file, "-n", f.Namespace)
		Expect(ran.out).To(ContainSubstring("1 price unknown"))
		f.whileWaiting(ctx, p)
		ran = p.run(ctx, "plan", "-f", file, "--prices", "-n", f.Namespace)
		Expect(ran.code).To(Equal(3), ran.out+ran.err)
		Expect(ran.out).To(ContainSubstring("one-time 200.00 AUD, monthly 45.00 AUD → 38.00 AUD (-7.00 AUD)"))
		Expect(f.queries(ctx)).To(BeEmpty())
		Expect(f.Posts(f.lines["site-one"])).To(BeZero())
	})

	It("asks about all services before the first response, with the calls of one query each", func(ctx SpecContext) {
		const number = 50
		f := startFleet(ctx, world.Unlimited)
		folder := GinkgoT().TempDir()
		for i := range number {
			name := fmt.Sprintf("site-%03d", i)
			f.add(ctx, name, withPlan(world.PlanSlow))
			f.manifest(folder, name, withPlan(world.PlanFast))
		}
		posts, polls, ended, p := f.optionPosts(), f.optionPolls(), make(chan result, 1), newPlugin()
		go func() { ended <- p.run(ctx, "plan", "-f", folder, "--prices", "-o", "json", "-n", f.Namespace) }()
		Eventually(func() int { return len(f.queries(ctx)) }).WithTimeout(time.Minute).Should(Equal(number))
		Expect(f.optionCalls()).To(Equal(posts+polls), "no operator has worked on a query yet")
		f.driveOneShots(ctx)
		var ran result
		Eventually(ended).WithTimeout(time.Minute).Should(Receive(&ran))
		Expect(ran.code).To(Equal(3), ran.err)
		Expect(f.optionPosts()-posts).To(Equal(number), "a request each")
		Expect(f.optionPolls()-polls).To(And(BeNumerically(">=", number), BeNumerically("<=", 2*number)),
			"the result, and until polls have learned one that is too early")
		Expect(ran.err).To(ContainSubstring("offers for 50 services; "))
		Expect(ran.err).To(ContainSubstring("50 of 50 services answered after "))
		Expect(f.queries(ctx)).To(BeEmpty())
		for _, object := range readPlan(ran.out).Objects {
			Expect(object.PricesFrom).To(Equal("carrier"), object.Name)
			Expect(object.PricedAt).To(BeTemporally("~", f.Clock.Now(), time.Hour), object.Name)
		}
	})

	It("takes as long as the calls take at the account's rate", func(ctx SpecContext) {
		const number, rate = 50, 10
		w := world.NewInRealTime(ctx, plane, time.Now, func(seed *simulator.Seed) { //nolint:forbidigo // the manager's clock
			seed.Delays[string(simulator.OpPlanOptions)] = simulator.Duration(time.Second)
		})
		w.Manage(ctx, operator)
		w.AwaitLogin(ctx, func(account *v1alpha1.CarrierAccount) {
			account.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: rate, Burst: 10}
			account.Spec.Approval = v1alpha1.ApprovalAlways
		})
		f := &fleetWorld{World: w, lines: make(map[string]int64)}
		folder := f.deploy(ctx, number)
		calls, began := f.optionCalls(), time.Now() //nolint:forbidigo // a figure
		ran := newPlugin().run(ctx, "plan", "-f", folder, "--prices", "-n", f.Namespace)
		took := time.Since(began) //nolint:forbidigo // a figure
		Expect(ran.code).To(Equal(3), ran.err)
		Expect(ran.out).To(ContainSubstring("Plan: 50 objects, 50 requests: one-time 0.00 AUD, "))
		made := f.optionCalls() - calls
		Expect(made).To(BeNumerically("<=", 3*number), "no query is asked twice")
		world.Figuresf("%d services, %d calls at %d a second: %.1f s, %.2f times the calls divided by the rate",
			number, made, rate, took.Seconds(), took.Seconds()*rate/float64(made))
	})

	It("has the command offers, which shows all that the carrier offers", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanSlow), withSLA(world.SLAFast))
		s := newSession(f.World)
		f.whileWaiting(ctx, s.plugin)
		s.edit = withoutProgress(s.edit)
		Expect(s.show(ctx, "offers", "site-one").code).To(Equal(0))
		Expect(s.show(ctx, "offers", "site-one", "-o", "json").code).To(Equal(0))
		Expect(s.show(ctx, "offers", "site-none").code).To(Equal(4))
		s.expectGoldenDocument("offers")
		Expect(f.queries(ctx)).To(BeEmpty())
	})

	It("says in a document how old the prices of a status can be", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksAlways)
		p := newPlugin()
		priced := readPlan(p.run(ctx, "plan", "-o", "json", "-n", f.Namespace).out).Objects[0]
		Expect(priced.PricesFrom).To(Equal("status"))
		Expect(p.run(ctx, "plan", "-o", "markdown", "-n", f.Namespace).out).To(
			ContainSubstring("since " + priced.PricedAt.Format(time.RFC3339)))
	})

	It("keeps the other prices if the carrier refuses one", func(ctx SpecContext) {
		f := startFleet(ctx)
		folder := GinkgoT().TempDir()
		for _, name := range []string{"site-one", "site-two"} {
			f.add(ctx, name, withPlan(world.PlanSlow))
			f.manifest(folder, name, withPlan(world.PlanFast))
		}
		refused := simulator.Fault{
			Kind: simulator.FaultStatus, Status: 404, ServiceID: f.lines["site-two"], Times: 2, // the token is renewed once
		}
		Expect(f.Carrier.FailNext("POST PlanOptions", refused)).To(Succeed())
		p := newPlugin()
		f.whileWaiting(ctx, p)
		ran := p.run(ctx, "plan", "-f", folder, "--prices", "-n", f.Namespace)
		Expect(ran.code).To(Equal(3), ran.err)
		Expect(ran.out).To(ContainSubstring("bbs/site-two: the present price is not known: NotFoundOrForbidden: "))
		Expect(ran.out).To(MatchRegexp(`45.00 AUD → 58.00 AUD \(\+13.00 AUD\) for 1 of 2 requests; 1 price\s+unknown`))
		Expect(f.queries(ctx)).To(BeEmpty())
	})

	It("gives up after five minutes without a response, and says so", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanSlow))
		file := f.manifest(GinkgoT().TempDir(), "site-one", withPlan(world.PlanFast))
		p, waited := newPlugin(), time.Duration(0)
		p.edit = func(environment *command.Environment) {
			environment.Wait = func(pause time.Duration) <-chan time.Time {
				waited += pause
				return time.After(0) //nolint:forbidigo // time passes at once
			}
		}
		ran := p.run(ctx, "plan", "-f", file, "--prices", "-n", f.Namespace)
		Expect(ran.code).To(Equal(3), ran.err)
		Expect(waited).To(BeNumerically("~", 5*time.Minute, 10*time.Second))
		Expect(ran.out).To(ContainSubstring("bbs/site-one: the present price is not known: the carrier has not answered"))
		Expect(f.queries(ctx)).To(BeEmpty())
	})

	It("removes its queries, and no others, when it is interrupted", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanSlow))
		file := f.manifest(GinkgoT().TempDir(), "site-one", withPlan(world.PlanFast))
		Expect(f.Create(ctx, f.Query("somebody-else", f.lines["site-one"]))).To(Succeed())
		asking, interrupt := context.WithCancel(ctx)
		ended, p := make(chan int, 1), newPlugin()
		go func() { ended <- p.run(asking, "plan", "-f", file, "--prices", "-n", f.Namespace).code }()
		Eventually(func() int { return len(f.queries(ctx)) }).WithTimeout(time.Minute).Should(Equal(2))
		interrupt()
		Eventually(ended).WithTimeout(time.Minute).Should(Receive(Equal(4)))
		Expect(f.queries(ctx)).To(ConsistOf(HaveField("Name", "somebody-else")))
	})
})
