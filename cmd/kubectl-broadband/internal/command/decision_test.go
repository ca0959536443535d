// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// hashOf is the hash of the plan of changes that a service shows.
func (f *fleetWorld) hashOf(ctx SpecContext, name string) string {
	GinkgoHelper()
	pending := f.Read(ctx, name).Status.Pending
	Expect(pending).NotTo(BeNil())
	return pending.Hash
}

func (f *fleetWorld) annotationOf(ctx SpecContext, name, annotation string) string {
	live := &v1alpha1.BroadbandService{}
	Expect(plane.Live.Get(ctx, client.ObjectKey{Namespace: f.Namespace, Name: name}, live)).To(Succeed())
	return live.Annotations[annotation]
}

var _ = Describe("approve", func() {
	It("approves what was shown, in one decision, and the operator sends exactly that", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksAlways)
		f.add(ctx, "site-two", asksAlways, withPlan(world.PlanSetUp))
		f.add(ctx, "site-three", withPlan(world.PlanSlow))
		s := newSession(f.World)
		Expect(s.show(ctx, "approve").code).To(Equal(4))
		Expect(s.show(ctx, "approve", "site-three").code).To(Equal(4))
		Expect(s.show(ctx, "approve", "--all").code).To(Equal(4), "there is nobody to ask")
		Expect(s.show(ctx, "approve", "--all", "--dry-run").code).To(Equal(0))
		Expect(s.show(ctx, "approve", "--all", "--yes", "--max-one-time", "19.99").code).To(Equal(4))
		Expect(s.show(ctx, "approve", "--all", "--yes", "--max-monthly", "0").code).To(Equal(0), "13.00 - 13.00")
		hashes := []string{f.hashOf(ctx, "site-one"), f.hashOf(ctx, "site-two")}
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(Equal(hashes[0]))
		Expect(f.annotationOf(ctx, "site-two", v1alpha1.AnnotationApprove)).To(Equal(hashes[1]))
		Expect(s.show(ctx, "approve", "--all", "-o", "json").code).To(Equal(0))
		s.expectGolden("approve")

		Expect(f.Posts(f.lines["site-one"])).To(BeZero())
		for _, name := range []string{"site-one", "site-two"} {
			Expect(f.drive(ctx, name).Status.History).To(ContainElement(HaveField("ApprovedBy", "admin (claimed)")))
			Expect(f.Posts(f.lines[name])).To(Equal(1))
		}
	})

	It("approves no NTD option of unknown price within a limit", func(ctx SpecContext) {
		f := startFleet(ctx)
		refused := simulator.Fault{Kind: simulator.FaultStatus, Status: http.StatusUnprocessableEntity, Times: 3}
		Expect(f.Carrier.FailNext("POST PlanOptions", refused)).To(Succeed())
		f.add(ctx, "site-one", asksAlways, withNTD("1_PORT"))
		s := newSession(f.World)
		Expect(s.show(ctx, "plan").code).To(Equal(3))
		Expect(s.show(ctx, "approve", "--all", "--yes", "--max-one-time", "0.00").code).To(Equal(4))
		Expect(s.show(ctx, "approve", "--all", "--yes", "--max-monthly", "100.00").code).To(Equal(4))
		Expect(s.show(ctx, "approve", "--all", "--dry-run", "-o", "json").code).To(BeZero())
		s.expectGoldenDocument("ntd-option")
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(BeEmpty())
	})

	It("takes objects by file and by label, and not more requests than it may", func(ctx SpecContext) {
		f := startFleet(ctx)
		folder := GinkgoT().TempDir()
		for _, name := range []string{"site-one", "site-two", "site-three"} {
			f.add(ctx, name, asksAlways, withLabel("area", name[:6]))
			f.manifest(folder, name, asksAlways)
		}
		Expect(os.Remove(filepath.Join(folder, "site-three.yaml"))).To(Succeed())
		p := newPlugin()
		approve := func(arguments ...string) int {
			return p.run(ctx, append([]string{"approve", "--yes", "-n", f.Namespace}, arguments...)...).code
		}
		Expect(approve("--all", "--max-changes", "2")).To(Equal(4))
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(BeEmpty())
		Expect(approve("-f", folder, "--max-changes", "2")).To(BeZero())
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(Equal(f.hashOf(ctx, "site-one")))
		Expect(f.annotationOf(ctx, "site-two", v1alpha1.AnnotationApprove)).To(Equal(f.hashOf(ctx, "site-two")))
		Expect(f.annotationOf(ctx, "site-three", v1alpha1.AnnotationApprove)).To(BeEmpty())
		Expect(approve("-l", "area=site-t")).To(BeZero(), "one of the two is approved already")
		Expect(f.annotationOf(ctx, "site-three", v1alpha1.AnnotationApprove)).To(Equal(f.hashOf(ctx, "site-three")))
	})

	It("says in which namespace nothing waits", func(ctx SpecContext) {
		f := startFleet(ctx)
		ran := newPlugin().run(ctx, "approve", "--all", "--yes", "-n", f.Namespace)
		Expect(ran.code).To(BeZero())
		Expect(ran.out).To(HaveSuffix("No selected object in namespace " + f.Namespace + " waits to be approved.\n"))
	})

	It("asks at a terminal, and writes nothing without a yes", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksAlways)
		p := newPlugin()
		p.answer = "no"
		ran := p.run(ctx, "approve", "site-one", "-n", f.Namespace)
		Expect(ran.code).To(Equal(4))
		Expect(ran.out).To(ContainSubstring("Approve 1 object? [y/N] "))
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(BeEmpty())
		p.answer = "y"
		Expect(p.run(ctx, "approve", "site-one", "-n", f.Namespace).code).To(Equal(0))
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(Equal(f.hashOf(ctx, "site-one")))
	})

	It("does not approve a plan that has changed while the person was reading", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksAlways)
		p := newPlugin()
		p.answer = "y"
		shown := f.hashOf(ctx, "site-one")
		p.whileAsking(func() {
			f.Edit(ctx, "site-one", withPlan(world.PlanSetUp))
			f.process.Drive(ctx, "site-one")
		})
		ran := p.run(ctx, "approve", "site-one", "-n", f.Namespace)
		Expect(ran.code).To(Equal(1))
		Expect(ran.out).To(ContainSubstring("not approved: it has changed meanwhile, and is now: plan.name"))
		Expect(f.hashOf(ctx, "site-one")).NotTo(Equal(shown))
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(BeEmpty())
		Expect(f.Posts(f.lines["site-one"])).To(BeZero())
	})

	It("approves if only something else of the object has changed meanwhile", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksAlways)
		p := newPlugin()
		p.answer = "y"
		p.whileAsking(func() { f.Annotate(ctx, "site-one", "example.com/note", "hello") })
		Expect(p.run(ctx, "approve", "site-one", "-n", f.Namespace).code).To(Equal(0))
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(Equal(f.hashOf(ctx, "site-one")))
	})

	It("replaces the name of the user who approved an earlier plan",
		func(ctx SpecContext) {
			f := startFleet(ctx)
			f.add(ctx, "site-one", asksAlways)
			f.Annotate(ctx, "site-one", v1alpha1.AnnotationApprove, "p1")
			f.Annotate(ctx, "site-one", v1alpha1.AnnotationApprovedBy, "alice@example.com")
			Expect(newPlugin().run(ctx, "approve", "site-one", "--yes", "-n", f.Namespace).code).To(Equal(0))
			Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(Equal(f.hashOf(ctx, "site-one")))
			Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprovedBy)).To(Equal("admin"))
		})

	It("lets two people approve at once: one approval, and both see it", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksAlways)
		first, second := newPlugin(), newPlugin()
		first.answer, second.answer = "y", "y"
		var both sync.WaitGroup
		both.Add(2)
		meet := func() { both.Done(); both.Wait() }
		first.whileAsking(meet)
		second.whileAsking(meet)
		results := make(chan result, 2)
		for _, p := range []*plugin{first, second} {
			go func() { results <- p.run(ctx, "approve", "site-one", "-n", f.Namespace) }()
		}
		outcomes := []string{(<-results).out, (<-results).out}
		Expect(outcomes).To(ConsistOf(
			ContainSubstring("1 object approved"), ContainSubstring("already done by admin")))
		f.drive(ctx, "site-one")
		Expect(f.Posts(f.lines["site-one"])).To(Equal(1))
	})

	It("says what right is missing, for each object", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksAlways)
		letView(ctx, f.Namespace, "viewer")
		ran := newPlugin().run(ctx, "approve", "site-one", "--yes", "--as", "viewer", "-n", f.Namespace)
		Expect(ran.code).To(Equal(1))
		words := strings.Join(strings.Fields(ran.out), " ") // the terminal breaks the line
		Expect(words).To(ContainSubstring("ask for one of the roles of broadband-operator"))
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationApprove)).To(BeEmpty())
	})
})

// letView gives a user the right to view the operator's objects in a namespace, and no other right.
func letView(ctx SpecContext, namespace, user string) {
	GinkgoHelper()
	Expect(plane.Client.Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user},
		Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{v1alpha1.GroupVersion.Group}, Resources: []string{"*"}, Verbs: []string{"get", "list"},
		}},
	})).To(Succeed())
	Expect(plane.Client.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	})).To(Succeed())
}

var _ = Describe("trust, retry and resolve", func() {
	It("trusts unknown values without a request", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksUnknown, withSLA(world.SLAFast), withPlan(world.PlanSlow))
		s := newSession(f.World)
		Expect(s.show(ctx, "trust", "site-one", "--yes").code).To(Equal(0))
		ready := world.Ready(f.drive(ctx, "site-one"))
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonInSync))
		Expect(s.show(ctx, "trust", "site-one", "--yes").code).To(Equal(4))
		s.expectGolden("trust")
		Expect(f.Posts(f.lines["site-one"])).To(BeZero())
	})

	It("retries a failed request once", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", withPlan(world.PlanFails))
		s := newSession(f.World)
		Expect(s.show(ctx, "retry", "--all", "--yes").code).To(Equal(0))
		Expect(f.Posts(f.lines["site-one"])).To(Equal(1))
		f.drive(ctx, "site-one")
		Expect(f.Posts(f.lines["site-one"])).To(Equal(2))
		s.expectGolden("retry")
	})

	It("shows what to ask the carrier, and records the outcome", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.loseNext("AggregationConversion", true)
		f.add(ctx, "site-one", withoutPlan, func(s *v1alpha1.BroadbandService) { s.Spec.AggregationMethod = "ETHERNET" })
		s := newSession(f.World)
		Expect(s.show(ctx, "resolve", "site-one").code).To(Equal(1))
		Expect(s.show(ctx, "resolve", "site-one", "--outcome", "Perhaps").code).To(Equal(4))
		Expect(s.show(ctx, "resolve", "site-one", "--outcome", "Succeeded", "--yes").code).To(Equal(0))
		service := f.drive(ctx, "site-one")
		Expect(world.Ready(service).Reason).To(Equal(v1alpha1.ReasonInSync), world.Ready(service).Message)
		Expect(s.show(ctx, "resolve", "site-one", "--outcome", "Succeeded", "--yes").code).To(Equal(4))
		s.expectGolden("resolve")
		Expect(f.Carrier.Submissions(simulator.OpAggregationConversion, f.lines["site-one"]).Seen).To(Equal(1))
	})

	It("takes NotAccepted for one object only", func(ctx SpecContext) {
		f := startFleet(ctx)
		for _, name := range []string{"site-one", "site-two"} {
			f.loseNext("AggregationConversion", false)
			f.add(ctx, name, withoutPlan, func(s *v1alpha1.BroadbandService) { s.Spec.AggregationMethod = "ETHERNET" })
		}
		p := newPlugin()
		ran := p.run(ctx, "resolve", "--all", "--outcome", "NotAccepted", "--yes", "-n", f.Namespace)
		Expect(ran.code).To(Equal(4))
		Expect(ran.err).To(ContainSubstring("resolve them one by one"))
		Expect(f.annotationOf(ctx, "site-one", v1alpha1.AnnotationResolve)).To(BeEmpty())
		Expect(p.run(ctx, "resolve", "site-one", "--outcome", "NotAccepted", "--yes", "-n", f.Namespace).code).To(Equal(0))
		f.drive(ctx, "site-one")
		Expect(f.Carrier.Submissions(simulator.OpAggregationConversion, f.lines["site-one"]).Seen).To(Equal(2))
		Expect(f.Carrier.Submissions(simulator.OpAggregationConversion, f.lines["site-two"]).Seen).To(Equal(1))
	})
})

func withoutPlan(s *v1alpha1.BroadbandService) { s.Spec.Plan = nil }
