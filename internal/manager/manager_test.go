// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestManager(t *testing.T) {
	world.RunSpecs(t, "the manager against a real kube-apiserver and the simulated carrier")
}

// user is the user of the manager at the API server, which the admission policies know. It has the
// generated RBAC and no more.
const user = "system:serviceaccount:" + world.OperatorName + ":broadband-operator-manager"

var (
	plane *world.ControlPlane
	audit *world.Audit
)

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	plane, audit, err = world.StartAudited(ctx, GinkgoT().TempDir(), user)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
	writeCertificate()
	metricsAddress = freeAddress(ctx)
})

// often is the polling interval for slow expectations.
const often = 100 * time.Millisecond

// changeTakes is how long the carrier takes for a plan change, unless the test advances its clock.
const changeTakes = time.Minute

// slow makes plan changes last until the test advances the carrier's clock.
func slow(seed *simulator.Seed) {
	seed.Delays[string(simulator.OpPlanChange)] = simulator.Duration(world.Speed * changeTakes)
}

// contact is a person's contact details, as stored in a Secret.
var contact = map[string]string{"name": "Jo Yellowbird", "phone": "0491 570 156", "email": "jo.canary@example.com"}

var _ = Describe("The manager", Ordered, func() {
	const (
		sites    = 5
		statuses = "update broadbandservices/status"
	)
	var (
		w          *world.World
		kubeconfig string
		reader     string // token of a user who may read the metrics
		manager    *managerProcess
		lines      []int64
	)
	name := func(i int) string { return fmt.Sprintf("site-%d", i) }
	service := func(ctx context.Context, name string, check func(Gomega, *v1alpha1.BroadbandService)) {
		GinkgoHelper()
		Eventually(func(g Gomega) { check(g, w.Read(ctx, name)) }).
			WithTimeout(time.Minute).WithPolling(often).Should(Succeed())
	}
	everyService := func(ctx context.Context, check func(Gomega, *v1alpha1.BroadbandService)) {
		Eventually(func(g Gomega) {
			for i := range sites {
				check(g, w.Read(ctx, name(i)))
			}
		}).WithTimeout(2 * time.Minute).WithPolling(often).Should(Succeed())
	}
	// written counts the writes of the status and of the ledger of services. Each write of a ledger has
	// its own revision. The audit log cannot be used for ledgers: they are cluster-scoped, so it also
	// contains those of other specs. An attempt that a busy machine keeps from being sent in time costs
	// one write of the status and two of the ledger, which are not counted.
	written := func(ctx context.Context) [2]int {
		statuses, ledgers := audit.Writes(user, w.Namespace)[statuses], 0
		var list v1alpha1.RequestLedgerList
		Expect(w.List(ctx, &list)).To(Succeed())
		for i := range list.Items {
			spec := &list.Items[i].Spec
			if spec.Login != w.Account().Login() || spec.Service == nil {
				continue
			}
			ledgers += int(spec.Revision)
			for _, ended := range spec.Ended {
				if ended.Outcome == v1alpha1.PhaseNotSent {
					statuses, ledgers = statuses-1, ledgers-2
				}
			}
		}
		return [2]int{statuses, ledgers}
	}
	// expectWrites expects more writes of the status and of the ledger than the specs before. One too
	// many may follow late: all are counted from the start, so the next spec would see it, too.
	var expected [2]int
	expectWrites := func(ctx context.Context, statuses, ledgers int) {
		GinkgoHelper()
		expected[0], expected[1] = expected[0]+statuses, expected[1]+ledgers
		// The API server may respond to a read before it has logged the write that the read shows.
		Eventually(written).WithArguments(ctx).WithPolling(often).Should(Equal(expected))
		Consistently(written).WithArguments(ctx).WithTimeout(time.Second).WithPolling(often).Should(Equal(expected))
	}
	changing := func(g Gomega, service *v1alpha1.BroadbandService) {
		g.Expect(service.Status.ObservedGeneration).To(Equal(service.Generation))
		g.Expect(service.Status.InFlight).To(HaveValue(HaveField("Location", Not(BeEmpty()))))
	}
	inSync := func(generation int64) func(Gomega, *v1alpha1.BroadbandService) {
		return func(g Gomega, service *v1alpha1.BroadbandService) {
			g.Expect(service.Status.ObservedGeneration).To(Equal(generation))
			g.Expect(world.Ready(service).Reason).To(Equal(v1alpha1.ReasonInSync), world.Ready(service).Message)
		}
	}

	BeforeAll(func(ctx SpecContext) {
		w = world.NewInRealTime(ctx, plane, settings{}.controllerOptions().Now, slow)
		kubeconfig, reader = kubeconfigOf(user), scraper(ctx, "canary", metricsReader)
		manager = start(ctx, kubeconfig)
	})

	AfterAll(func(ctx SpecContext) { // so that the next leader need not wait for the lease of an ended manager
		manager.end(syscall.SIGTERM)
		Expect(plane.Client.DeleteAllOf(ctx, &coordinationv1.Lease{}, client.InNamespace(world.OperatorName))).To(Succeed())
	})

	AfterEach(func(ctx SpecContext) {
		if CurrentSpecReport().Failed() {
			AddReportEntry("objects", w.Dump(ctx))
			AddReportEntry("log", manager.log.String())
		}
	})

	It("converges services, with three writes of the status and of the ledger each", func(ctx SpecContext) {
		w.AwaitLogin(ctx, world.PollEverySecond)
		sendOne(ctx, w)
		for i := range sites {
			lines = append(lines, w.Line())
			Expect(w.Create(ctx, w.Service(name(i), lines[i]))).To(Succeed())
		}
		everyService(ctx, changing)
		w.Carrier.Advance(changeTakes)
		everyService(ctx, inSync(1))
		// The status: first reconciliation, accepted, terminal. The ledger: intent, accepted, terminal.
		expectWrites(ctx, 3*sites, 3*sites)
		writes := audit.Writes(user, w.Namespace)
		AddReportEntry("status writes for a first change", fmt.Sprintf("%d for %d services", writes[statuses], sites))
		Expect(writes["update carrieraccounts/status"]).To(Equal(1)) // the carrier has accepted its token
	})

	It("owns the fields that it writes under its own name", func(ctx SpecContext) {
		var ledgers v1alpha1.RequestLedgerList
		Expect(w.List(ctx, &ledgers)).To(Succeed())
		written := []client.Object{w.Read(ctx, name(0)), &ledgers.Items[0]}
		for _, object := range written {
			Expect(object.GetManagedFields()).To(ContainElement(HaveField("Manager", "broadband-operator")))
			Expect(object.GetManagedFields()).NotTo(ContainElement(HaveField("Manager", "manager")))
		}
	})

	It("makes a further change with five writes, none per poll", func(ctx SpecContext) {
		calls := len(w.Carrier.Calls())
		for i := range sites {
			w.Edit(ctx, name(i), func(s *v1alpha1.BroadbandService) { s.Spec.Plan.Name = world.PlanSlow })
		}
		Eventually(func() int {
			polls := 0
			for _, call := range w.Carrier.Calls()[calls:] {
				poll := call.Operation == simulator.OpPlanChange && call.Method == http.MethodGet
				if poll && call.Status == http.StatusAccepted {
					polls++
				}
			}
			return polls
		}).WithTimeout(time.Minute).WithPolling(often).Should(BeNumerically(">=", sites), "polls that got 202")
		everyService(ctx, changing)
		w.Carrier.Advance(changeTakes)
		everyService(ctx, inSync(2))
		expectWrites(ctx, 2*sites, 3*sites)
		for _, line := range lines {
			Expect(w.Posts(line)).To(Equal(2))
		}
	})

	It("writes and calls nothing on a restart", func(ctx SpecContext) {
		manager.end(syscall.SIGTERM)
		writes, calls := audit.Writes(user, w.Namespace), len(w.Carrier.Calls())
		listed := audit.Count(user, "watch broadbandservices")
		manager = startUnread(ctx, kubeconfig)
		Eventually(func() int { return audit.Count(user, "watch broadbandservices") }).
			Should(BeNumerically(">", listed))
		// The change of one service follows the reconciliation of the others.
		w.Edit(ctx, name(0), func(s *v1alpha1.BroadbandService) { s.Spec.Plan.Term = 24 })
		service(ctx, name(0), changing)
		w.Carrier.Advance(changeTakes)
		service(ctx, name(0), inSync(3))
		expectWrites(ctx, 2, 3)
		after := audit.Writes(user, w.Namespace)
		Expect(after["update carrieraccounts/status"]).To(Equal(writes["update carrieraccounts/status"]))
		for _, call := range w.Carrier.Calls()[calls:] {
			Expect(call.ServiceID == lines[0] || call.ServiceID == 0).To(BeTrue(), "%v", call)
		}
	})

	It("sends nothing twice when it is killed with SIGKILL while requests are in progress", func(ctx SpecContext) {
		posts := make([]int, sites)
		for i := range sites {
			posts[i] = w.Posts(lines[i])
			w.Edit(ctx, name(i), func(s *v1alpha1.BroadbandService) {
				s.Spec.Plan = &v1alpha1.Plan{Name: world.PlanFast, Term: 36}
			})
		}
		everyService(ctx, changing)
		manager.end(syscall.SIGKILL)
		w.Carrier.Advance(changeTakes)
		manager = start(ctx, kubeconfig)
		Eventually(func(g Gomega) {
			for i := range sites {
				service := w.Read(ctx, name(i))
				g.Expect(service.Status.ObservedGeneration).To(Equal(service.Generation))
				g.Expect(world.Ready(service).Reason).To(Equal(v1alpha1.ReasonInSync), world.Ready(service).Message)
				g.Expect(w.Posts(lines[i])).To(Equal(posts[i] + 1))
			}
		}).WithTimeout(2 * time.Minute).WithPolling(often).Should(Succeed())
	})

	It("sends a contact and shows it to nobody, even when the carrier repeats it", func(ctx SpecContext) {
		Expect(w.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "contact"}, StringData: contact,
		})).To(Succeed())
		repeated, err := json.Marshal(map[string]any{
			"httpStatusCode": 422, "type": "client.validation", "code": "validation",
			"message": "cannot reach " + contact["name"] + " at " + contact["phone"],
			"apiSubErrors": []any{map[string]any{
				"code": "constraints.pattern", "field": "contactEmail", "rejectedValue": contact["email"],
				"message": contact["email"] + " is not an address",
			}},
		})
		Expect(err).NotTo(HaveOccurred())
		refusal := simulator.Fault{Kind: simulator.FaultBody, Status: 422, Body: string(repeated)}
		Expect(w.Carrier.FailNext("POST PlanChange", refusal)).To(Succeed())
		Expect(w.Create(ctx, w.Service("giga", w.Line(), func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan = &v1alpha1.Plan{
				Name: world.PlanGiga, Term: 12, NTDOption: "4_PORT_RESIDENTIAL",
				ContactSecretRef: &v1alpha1.SecretReference{Name: "contact"},
			}
		}))).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(world.Ready(w.Read(ctx, "giga")).Reason).To(Equal(v1alpha1.ReasonInvalidFormat))
		}).WithTimeout(time.Minute).Should(Succeed())
		w.Annotate(ctx, "giga", v1alpha1.AnnotationRetry,
			w.Read(ctx, "giga").RequestOf(v1alpha1.OperationPlanChange).AttemptID)
		service(ctx, "giga", changing)
		w.Carrier.Advance(changeTakes)
		service(ctx, "giga", inSync(1))
	})

	It("sends an order's contact, and shows that to nobody either", func(ctx SpecContext) {
		Expect(w.Create(ctx, w.Order("placed", "SITE-014", func(o *v1alpha1.ServiceOrder) {
			o.Spec.Contact, o.Spec.ContactSecretRef = nil, &v1alpha1.SecretReference{Name: "contact"}
		}))).To(Succeed())
		Eventually(func(g Gomega) {
			ready := world.Condition(w.ReadOrder(ctx, "placed").Status.Conditions, v1alpha1.ConditionReady)
			g.Expect(ready.Reason).To(Equal(v1alpha1.ReasonSubmitted), ready.Message)
		}).WithTimeout(time.Minute).Should(Succeed())
		Expect(w.Posted("/api/connect/orders/create")).To(ConsistOf(ContainSubstring(contact["phone"])))
	})

	It("writes a line for each request, although one manager was killed and one was not read", func(ctx SpecContext) {
		Eventually(func(g Gomega) {
			g.Expect(expectLines(ctx, g, w)).To(BeNumerically(">=", 3*sites+4), "requests of the specs before")
		}).WithTimeout(time.Minute).Should(Succeed())
		Expect(manager.log.String()).To(ContainSubstring("lines of the request log are lost"))
	})

	// expectNoSecrets expects that the texts contain no secret of the world.
	expectNoSecrets := func(texts map[string]string) {
		GinkgoHelper()
		canaries := append(w.Canaries(), slices.Collect(maps.Values(contact))...)
		Expect(len(canaries)).To(BeNumerically(">", 20), "key lines, assertions and tokens have been seen")
		for where, text := range texts {
			Expect(text).NotTo(BeEmpty(), where)
			for _, canary := range canaries {
				Expect(strings.Contains(text, canary)).To(BeFalse(), "a secret is in the %s", where)
			}
		}
	}

	// The numbers in the names of the specs are those of docs/security-cases.md.

	It("has leaked no secret, at the highest verbosity (89)", func(ctx SpecContext) {
		texts := map[string]string{
			"log": everyLog.String(), "request log": everyLine.String(), "objects and records": w.Dump(ctx),
			"metrics": scrape(ctx, reader).text,
		}
		var events eventsv1.EventList
		Expect(plane.Client.List(ctx, &events, client.InNamespace(w.Namespace))).To(Succeed())
		Expect(events.Items).NotTo(BeEmpty())
		for _, event := range events.Items {
			texts["events"] += event.String() + "\n"
		}
		expectNoSecrets(texts)
	})

	It("labels no metric with what a user wrote (75)", func(ctx SpecContext) {
		served := scrape(ctx, reader).text
		Expect(served).To(ContainSubstring(`controller="broadbandservice"`))
		for _, written := range []string{w.Namespace, name(0), "giga", "placed", "SITE-014", world.PlanFast, w.URL} {
			Expect(served).NotTo(ContainSubstring(written))
		}
		for _, line := range lines {
			Expect(served).NotTo(ContainSubstring(strconv.FormatInt(line, 10)))
		}
	})

	It("leaves neither a secret nor a core file behind when it is made to dump its goroutines (91)", func() {
		manager.end(syscall.SIGQUIT)
		_, dump, dumped := strings.Cut(everyLog.String(), "SIGQUIT: quit")
		Expect(dumped).To(BeTrue())
		Expect(strings.Count(dump, "\ngoroutine ")).To(BeNumerically(">", 10))
		expectNoSecrets(map[string]string{"dump": dump})
		status, ok := manager.ended.Sys().(syscall.WaitStatus)
		Expect(ok).To(BeTrue())
		Expect(status.CoreDump()).To(BeFalse())
	})

	It("needs no more permissions than it has", func() {
		Expect(audit.Denied(user)).To(BeEmpty())
	})
})
