// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// manifest writes the manifest of a service into a folder.
func (f *fleetWorld) manifest(folder, name string, edits ...edit) string {
	GinkgoHelper()
	service := f.Service(name, f.lines[name], edits...)
	service.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "BroadbandService"}
	service.Namespace = ""
	object := map[string]any{
		"apiVersion": service.APIVersion, "kind": service.Kind, "metadata": map[string]any{"name": name},
		"spec": service.Spec,
	}
	text, err := yaml.Marshal(object)
	Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(folder, name+".yaml")
	Expect(os.WriteFile(file, text, 0o600)).To(Succeed())
	return file
}

// versions are the versions of all services of the world.
func (f *fleetWorld) versions(ctx context.Context) map[string]string {
	GinkgoHelper()
	var services v1alpha1.BroadbandServiceList
	Expect(plane.Live.List(ctx, &services, client.InNamespace(f.Namespace))).To(Succeed())
	found := make(map[string]string)
	for _, service := range services.Items {
		found[service.Name] = service.ResourceVersion
	}
	return found
}

// whileWaiting lets the operator work on the one-shots of the world whenever the plugin waits.
func (f *fleetWorld) whileWaiting(ctx context.Context, p *plugin) {
	p.edit = func(environment *command.Environment) {
		environment.Wait = func(time.Duration) <-chan time.Time {
			f.driveOneShots(ctx)
			return time.After(10 * time.Millisecond) //nolint:forbidigo // the plugin sees the result a moment later
		}
	}
}

func (f *fleetWorld) driveOneShots(ctx context.Context) {
	defer GinkgoRecover()
	var queries v1alpha1.PlanOptionsQueryList
	Expect(plane.Live.List(ctx, &queries, client.InNamespace(f.Namespace))).To(Succeed())
	for _, query := range queries.Items {
		f.reconcileOneShot(ctx, world.OneShot{Kind: "PlanOptionsQuery", Name: query.Name})
	}
	var tests v1alpha1.DiagnosticTestList
	Expect(plane.Live.List(ctx, &tests, client.InNamespace(f.Namespace))).To(Succeed())
	for _, test := range tests.Items {
		f.reconcileOneShot(ctx, world.OneShot{Kind: "DiagnosticTest", Name: test.Name})
	}
}

// reconcileOneShot runs a few passes, and stops before the object is removed.
func (f *fleetWorld) reconcileOneShot(ctx context.Context, shot world.OneShot) {
	for range 4 {
		result, err := f.process.ReconcileOneShot(ctx, shot)
		Expect(err).NotTo(HaveOccurred())
		f.Clock.Advance(min(result.RequeueAfter, 20*time.Second))
	}
}

var _ = Describe("plan", func() {
	It("shows what would change, from the status and from manifests, and writes and sends nothing", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-one", asksAlways)
		f.add(ctx, "site-three", withPlan(world.PlanSlow), withSLA(world.SLAStd), func(s *v1alpha1.BroadbandService) {
			s.Spec.UnknownValues = v1alpha1.UnknownTrust
		})
		f.line("site-new")
		s := newSession(f.World)
		folder := s.folder
		f.manifest(folder, "site-one", asksAlways, withPlan(world.PlanSlow))
		f.manifest(folder, "site-three", withSLA(world.SLAFast), func(s *v1alpha1.BroadbandService) {
			s.Spec.AggregationMethod, s.Spec.DSLStabilityProfile = "ETHERNET", "Stable"
		})
		f.manifest(folder, "site-new")
		Expect(os.Remove(filepath.Join(folder, "kubeconfig"))).To(Succeed())
		s.plugin = newPlugin()

		calls, versions := len(f.Carrier.Calls()), f.versions(ctx)
		Expect(s.show(ctx, "plan").code).To(Equal(3))
		Expect(s.show(ctx, "plan", "site-three").code).To(Equal(0))
		files := []string{"plan", "-f", folder}
		Expect(s.run(ctx, append(files, "-n", f.Namespace)...).code).To(Equal(3))
		for _, format := range []string{"table", "markdown", "html", "json"} {
			ran := s.run(ctx, append(files, "-o", format, "-n", f.Namespace)...)
			Expect(ran.code).To(Equal(3), ran.err)
			s.text.WriteString("$ kubectl broadband plan -f sites/ -o " + format + "\n" + normalized(f.World, ran.out) + "\n")
		}
		s.expectGoldenDocument("plan")
		Expect(f.Carrier.Calls()).To(HaveLen(calls))
		Expect(f.versions(ctx)).To(Equal(versions))
	})

	It("ends with the exit code of what would happen: nothing, a change, or spending", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.add(ctx, "site-same", asksAlways, withPlan(world.PlanSlow))
		f.add(ctx, "site-cheaper", asksAlways, withPlan(world.PlanCheap)) // for a term that may be a longer one
		f.add(ctx, "site-stable", asksAlways, func(s *v1alpha1.BroadbandService) {
			s.Spec.Plan, s.Spec.DSLStabilityProfile = nil, "Stable"
		})
		f.add(ctx, "site-dearer", asksAlways)
		p := newPlugin()
		for name, code := range map[string]int{"site-same": 0, "site-stable": 2, "site-cheaper": 3, "site-dearer": 3} {
			Expect(p.run(ctx, "plan", name, "-n", f.Namespace).code).To(Equal(code), name)
		}
	})

	It("refuses a manifest that the API server would refuse", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.line("site-one")
		file := f.manifest(GinkgoT().TempDir(), "site-one", withPlan(""))
		ran := newPlugin().run(ctx, "plan", "-f", file, "-n", f.Namespace)
		Expect(ran.code).To(Equal(4))
		Expect(ran.err).To(ContainSubstring("spec.plan.name"))
	})

	It("merges a manifest as kubectl apply does, if that has written the object", func(ctx SpecContext) {
		f := startFleet(ctx)
		f.line("site-one")
		folder := GinkgoT().TempDir()
		file := f.manifest(folder, "site-one", withPlan(world.PlanSlow), withEthernet, asksUnknown)
		_, err := plane.Kubectl("apply", "-n", f.Namespace, "-f", file)
		Expect(err).NotTo(HaveOccurred())
		f.drive(ctx, "site-one")
		p := newPlugin()
		Expect(p.run(ctx, "plan", "-f", file, "-n", f.Namespace).out).To(ContainSubstring("ETHERNET"))
		f.manifest(folder, "site-one", withPlan(world.PlanSlow))
		ran := p.run(ctx, "plan", "-f", file, "-n", f.Namespace)
		Expect(ran.code).To(Equal(0), "what the manifest does not declare any more is not managed: %s", ran.out)
		Expect(f.Read(ctx, "site-one").Spec.AggregationMethod).To(Equal("ETHERNET"), "nothing was written")
	})

	It("is what the operator then sends: operations and bodies", func(ctx SpecContext) {
		f := startFleet(ctx)
		number := 12
		if os.Getenv("TEST_ALL") != "" {
			number = 200
		}
		folder, names := GinkgoT().TempDir(), make([]string, 0, number)
		for i := range number {
			names = append(names, fmt.Sprintf("site-%03d", i))
			f.add(ctx, names[i], withPlan(world.PlanSlow))
			f.manifest(folder, names[i], varied(i*5))
		}
		ran := newPlugin().run(ctx, "plan", "-f", folder, "-o", "json", "-n", f.Namespace)
		Expect(ran.code).To(Equal(3), ran.err)
		planned := plannedBodies(ran.out)
		before := len(f.posted())
		for i, name := range names {
			f.Edit(ctx, name, varied(i*5))
			f.process.Drive(ctx, name)
		}
		Expect(before).To(BeZero())
		Expect(f.posted()).To(ConsistOf(planned))
		Expect(len(planned)).To(BeNumerically(">", number/2))
	})
})

// varied declares one of many combinations of values.
func varied(i int) edit {
	return func(s *v1alpha1.BroadbandService) {
		plans := []string{world.PlanSlow, world.PlanFast, world.PlanCheap}
		s.Spec.Plan = &v1alpha1.Plan{Name: plans[i%3], Term: 12}
		s.Spec.RestorationSLA = []string{"", world.SLAFast}[i/3%2]
		s.Spec.AggregationMethod = []string{"", "ETHERNET"}[i/6%2]
		s.Spec.DSLStabilityProfile = []string{"", "Stable"}[i/12%2]
	}
}

// plannedBodies are the bodies of the requests of a plan.
func plannedBodies(text string) []string {
	GinkgoHelper()
	var plan struct {
		Objects []struct {
			Requests []struct {
				Operation string          `json:"operation"`
				Body      json.RawMessage `json:"body"`
			} `json:"requests"`
		} `json:"objects"`
	}
	Expect(json.Unmarshal([]byte(text), &plan)).To(Succeed())
	var bodies []string
	for _, object := range plan.Objects {
		for _, request := range object.Requests {
			bodies = append(bodies, compact(request.Body))
		}
	}
	return bodies
}

func compact(body []byte) string {
	GinkgoHelper()
	var value any
	Expect(json.Unmarshal(body, &value)).To(Succeed())
	text, err := json.Marshal(value)
	Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// posted are the bodies of the changes that the carrier has received.
func (f *fleetWorld) posted() []string {
	GinkgoHelper()
	var bodies []string
	for _, path := range []string{"plan-changes", "aggregation-conversions", "dsl-stability-profile-changes"} {
		for _, body := range f.Posted("/api/connect/services/" + path + "/request") {
			bodies = append(bodies, compact([]byte(body)))
		}
	}
	return bodies
}
