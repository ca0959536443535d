// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// settledSite is a service that our own change has moved to world.PlanFast.
type settledSite struct {
	*world.World

	process *world.Process
	line    int64
}

// bringInSync moves a service to world.PlanFast by a change, the only POST so far. Nothing has been
// read since then.
func bringInSync(ctx SpecContext, edits ...fixture.Edit) *settledSite {
	GinkgoHelper()
	w, process := fixture.Begin(ctx)
	line := w.Line(fixture.WithSameHealthRecord)
	Expect(w.Create(ctx, w.Service(site, line, edits...))).To(Succeed())
	service := process.Drive(ctx, site)
	fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(service.Status.Carrier.Plan.AsHealth).To(BeEmpty())
	Expect(w.Posts(line)).To(Equal(1))
	return &settledSite{World: w, process: process, line: line}
}

// settleHourlyReads settles a service that is read every hour, beginning immediately. Health spells
// its plan in its own way.
func settleHourlyReads(ctx SpecContext, edits ...fixture.Edit) *settledSite {
	GinkgoHelper()
	s := bringInSync(ctx, edits...)
	s.Edit(ctx, site, fixture.ReadEvery("1h"))
	service := s.move(ctx, fixture.PlanInHealth)
	Expect(service.Status.Carrier.Plan.AsHealth).To(Equal(fixture.PlanInHealth))
	expectNoDrift(service)
	return s
}

// reconciledOnce is a service that is in sync and has been reconciled once.
func reconciledOnce(ctx SpecContext, line func(*simulator.Service), edits ...fixture.Edit) *settledSite {
	GinkgoHelper()
	w, process := fixture.Begin(ctx)
	s := &settledSite{World: w, process: process, line: w.Line(fixture.OnFast, line)}
	Expect(w.Create(ctx, w.Service(site, s.line, edits...))).To(Succeed())
	fixture.ExpectReady(s.pass(ctx, time.Minute), metav1.ConditionTrue, v1alpha1.ReasonInSync)
	return s
}

// move changes the plan of the service at the carrier, lets so much time pass that it is read again,
// and returns the service as the operator then shows it. A slot shortly after a reading is skipped.
func (s *settledSite) move(ctx SpecContext, plan string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	Expect(s.Carrier.SetPlan(s.line, plan)).To(Succeed())
	return s.pass(ctx, time.Hour+time.Hour/4+time.Minute)
}

func (s *settledSite) pass(ctx SpecContext, span time.Duration) *v1alpha1.BroadbandService {
	GinkgoHelper()
	fixture.Elapse(ctx, s.World, s.process, span)
	return s.Read(ctx, site)
}

// reconcile requests a reconciliation, and returns its result.
func (s *settledSite) reconcile(ctx SpecContext, word string) *v1alpha1.BroadbandService {
	GinkgoHelper()
	s.Annotate(ctx, site, v1alpha1.AnnotationReconcile, word)
	service := s.pass(ctx, time.Minute)
	Expect(service.Status.Handled.Reconcile).To(Equal(word))
	return service
}

// drive reconciles the service as far as possible, and returns it with the POSTs made meanwhile.
func (s *settledSite) drive(ctx SpecContext) (*v1alpha1.BroadbandService, []simulator.Operation) {
	GinkgoHelper()
	from := len(s.Carrier.Calls())
	service := s.process.Drive(ctx, site)
	return service, s.postsSince(from)
}

// postsSince returns the POSTs that the carrier has received for a service, logins excluded,
// starting with the call of the given index.
func (s *settledSite) postsSince(from int) []simulator.Operation {
	var posts []simulator.Operation
	for _, call := range s.Carrier.Calls()[from:] {
		if call.Method == http.MethodPost && call.ServiceID == s.line {
			posts = append(posts, call.Operation)
		}
	}
	return posts
}

// restart replaces the process with a new one.
func (s *settledSite) restart() { s.process = s.Start(world.CrashPoint{}) }

// restoreStatus restores an older status.
func (s *settledSite) restoreStatus(ctx SpecContext, older v1alpha1.BroadbandServiceStatus) {
	GinkgoHelper()
	service := s.Read(ctx, site)
	service.Status = older
	Expect(s.Status().Update(ctx, service)).To(Succeed())
}

func expectNoDrift(service *v1alpha1.BroadbandService) {
	GinkgoHelper()
	fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	Expect(fixture.Condition(service, v1alpha1.ConditionDrifted)).To(BeZero())
	Expect(fixture.Condition(service, v1alpha1.ConditionPlanSynced).Status).To(Equal(metav1.ConditionTrue))
}

func expectDrift(service *v1alpha1.BroadbandService, from, to string) {
	GinkgoHelper()
	fixture.ExpectReady(service, metav1.ConditionFalse, v1alpha1.ReasonDrifted)
	drifted, synced := fixture.Condition(service, v1alpha1.ConditionDrifted), fixture.Condition(service,
		v1alpha1.ConditionPlanSynced)
	Expect(drifted.Status).To(Equal(metav1.ConditionTrue))
	Expect(drifted.Message).To(ContainSubstring(`plan.name "` + from + `" → "` + to + `"`))
	Expect(synced.Status).To(Equal(metav1.ConditionFalse))
	Expect(synced.Reason).To(Equal(v1alpha1.ReasonDrifted))
	Expect(synced.Message).To(And(ContainSubstring(from), ContainSubstring(to)))
	plan := service.Status.Carrier.Plan
	Expect([]string{plan.Value, plan.AsHealth}).To(Equal([]string{to, from}))
}
