// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// rightsWorld is a world in which a manager is made to use every permission that it needs.
type rightsWorld struct{ *world.World }

var _ = Describe("The permissions of a manager", func() {
	It("are each used, and none is missing", func(ctx SpecContext) {
		w := rightsWorld{world.NewInRealTime(ctx, plane, settings{}.controllerOptions().Now, withoutDelays)}
		// This simulates an API server that cannot stream a list, so that each kind is listed before it
		// is watched.
		GinkgoT().Setenv("KUBE_FEATURE_WatchListClient", "false")
		installPolicies()
		manager := startWithPolicies(ctx, kubeconfigOf(user))
		DeferCleanup(func() {
			if CurrentSpecReport().Failed() {
				AddReportEntry("log", manager.log.String())
			}
			manager.end(syscall.SIGTERM)
		})
		Expect(scrape(ctx, scraper(ctx, "auditor")).status).To(Equal(http.StatusForbidden))
		w.AwaitLogin(ctx, world.PollEverySecond)
		shots := w.createOneShots(ctx)
		w.refuseStatus(ctx)
		w.replace(ctx)
		w.order(ctx)
		w.requestAppointment(ctx)
		for _, shot := range shots {
			w.awaitGone(ctx, shot)
		}
		Eventually(audit.Unused).WithArguments(user).Should(BeEmpty(), "what is granted")
		Expect(audit.Denied(user)).To(BeEmpty(), "what is not granted")
	})
})

// installPolicies installs the admission policies until the end of the spec.
func installPolicies() {
	GinkgoHelper()
	folder := filepath.Join(source.Root(), "config", "policy")
	_, err := plane.Kubectl("apply", "--server-side", "--kustomize", folder)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() {
		_, err := plane.Kubectl("delete", "--kustomize", folder)
		Expect(err).NotTo(HaveOccurred())
	})
}

// withoutDelays makes every request complete at the first poll.
func withoutDelays(seed *simulator.Seed) {
	for operation := range seed.Delays {
		seed.Delays[operation] = simulator.Duration(time.Second)
	}
}

// editDuringPOST changes an object while the next POST of an operation is in flight. The response
// is then written into the current object, which is read bypassing the cache.
func (w rightsWorld) editDuringPOST(ctx context.Context, operation carrier.Operation, object client.Object) {
	GinkgoHelper()
	contract, found := carrier.ContractOf(operation)
	Expect(found).To(BeTrue())
	another, isObject := object.DeepCopyObject().(client.Object) // the POST runs in another goroutine
	Expect(isObject).To(BeTrue())
	w.DuringPOST(contract.SubmitPath, func() {
		label := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"team":"north"}}}`))
		Expect(w.Patch(ctx, another, label)).To(Succeed())
	})
}

// awaitEdited waits until an object has been edited during its POST, because a POST of another
// object to the same path would have the same effect.
func (w rightsWorld) awaitEdited(ctx context.Context, object client.Object) {
	GinkgoHelper()
	Eventually(ctx, func(g Gomega) {
		g.Expect(w.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		g.Expect(object.GetLabels()).To(HaveKeyWithValue("team", "north"))
	}).WithTimeout(time.Minute).Should(Succeed())
}

// awaitGone waits until an object no longer exists.
func (w rightsWorld) awaitGone(ctx context.Context, object client.Object) {
	GinkgoHelper()
	Eventually(ctx, func() bool {
		return apierrors.IsNotFound(w.Get(ctx, client.ObjectKeyFromObject(object), object))
	}).WithTimeout(time.Minute).Should(BeTrue())
}

// createOneShots creates one-shots of each kind, which expire, and returns them.
func (w rightsWorld) createOneShots(ctx context.Context) []client.Object {
	GinkgoHelper()
	const soon = "1s"
	line := w.Line()
	test := w.Test("test", line, func(t *v1alpha1.DiagnosticTest) { t.Spec.TTLAfterFinished = soon })
	quote := w.Quote("quote", world.QualifiedSite, func(q *v1alpha1.FibreBuildQuote) { q.Spec.TTLAfterFinished = soon })
	query := w.Query("query", line, func(q *v1alpha1.PlanOptionsQuery) { q.Spec.TTLAfterFinished = soon })
	check := w.Check("check", line, func(c *v1alpha1.HealthCheck) { c.Spec.TTLAfterFinished = soon })
	w.editDuringPOST(ctx, carrier.DiagnosticTest, test)
	w.editDuringPOST(ctx, carrier.FibreBuildCharge, quote)
	w.editDuringPOST(ctx, carrier.PlanOptions, query)
	w.editDuringPOST(ctx, carrier.Health, check)
	shots := []client.Object{test, quote, query, check}
	for _, shot := range shots {
		Expect(w.Create(ctx, shot)).To(Succeed())
	}
	for _, shot := range shots {
		w.awaitEdited(ctx, shot)
	}
	return shots
}

// replace deletes a service while its plan change is in progress, and lets another object take over
// its ledger.
func (w rightsWorld) replace(ctx context.Context) {
	GinkgoHelper()
	line := w.Line()
	first := w.Service("first", line)
	w.editDuringPOST(ctx, carrier.PlanChange, first)
	Expect(w.Create(ctx, first)).To(Succeed())
	Eventually(ctx, func(g Gomega) {
		var ledgers v1alpha1.RequestLedgerList
		g.Expect(w.List(ctx, &ledgers)).To(Succeed())
		g.Expect(ledgers.Items).To(ContainElement(HaveField("Spec", And(
			HaveField("Service", HaveValue(HaveField("ID", v1alpha1.CarrierIDOf(line)))),
			HaveField("Open", ConsistOf(HaveField("Location", Not(BeEmpty())))),
		))))
	}).WithTimeout(time.Minute).Should(Succeed())
	Expect(w.Delete(ctx, first)).To(Succeed())
	w.awaitGone(ctx, first)
	Expect(w.Create(ctx, w.Service("second", line))).To(Succeed())
	Eventually(ctx, func(g Gomega) {
		ready := world.Ready(w.Read(ctx, "second"))
		g.Expect(ready.Reason).To(Equal(v1alpha1.ReasonInSync), ready.Message)
	}).WithTimeout(time.Minute).Should(Succeed())
	Expect(w.Posts(line)).To(Equal(1))
}

// refuseStatus makes an admission policy refuse the status of a service, so that the same Event is
// then written again, with a higher count.
func (w rightsWorld) refuseStatus(ctx context.Context) {
	GinkgoHelper()
	service := w.Service("muted", w.Line(func(line *simulator.Service) { line.Plan = world.PlanFast }))
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "mute-" + w.Namespace},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{
					RuleWithOperations: admissionregistrationv1.RuleWithOperations{
						Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
						Rule: admissionregistrationv1.Rule{
							APIGroups: []string{v1alpha1.GroupVersion.Group}, APIVersions: []string{"*"}, Resources: []string{"*/status"},
						},
					},
				}},
			},
			Validations: []admissionregistrationv1.Validation{{Expression: fmt.Sprintf(
				"object.metadata.namespace != %q || object.metadata.name != %q", w.Namespace, service.Name)}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: policy.ObjectMeta,
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	// An Event is patched when it occurs the second time, and then not again for half an hour.
	before := audit.Count(user, "patch events")
	Expect(w.Create(ctx, policy)).To(Succeed())
	Expect(w.Create(ctx, binding)).To(Succeed())
	Expect(w.Create(ctx, service)).To(Succeed())
	Eventually(ctx, func() error {
		muted := w.Read(ctx, service.Name)
		muted.Status.ObservedGeneration++
		return w.Status().Update(ctx, muted, client.DryRunAll)
	}).WithTimeout(time.Minute).Should(MatchError(ContainSubstring("denied")), "the policy is in force")
	w.Edit(ctx, service.Name, func(s *v1alpha1.BroadbandService) { s.Spec.Suspend = true })
	Eventually(audit.Count).WithArguments(user, "patch events").WithTimeout(time.Minute).
		Should(BeNumerically(">", before))
	Expect(w.Delete(ctx, binding)).To(Succeed())
	Expect(w.Delete(ctx, policy)).To(Succeed())
}

// order places an order, then another with the same reference, and then a third one that waits for
// the result of its qualification.
func (w rightsWorld) order(ctx context.Context) {
	GinkgoHelper()
	const reference = "SITE-014"
	await := func(name, reason string) {
		GinkgoHelper()
		Eventually(ctx, func(g Gomega) {
			ready := world.Condition(w.ReadOrder(ctx, name).Status.Conditions, v1alpha1.ConditionReady)
			g.Expect(ready.Reason).To(Equal(reason), ready.Message)
		}).WithTimeout(time.Minute).Should(Succeed())
	}
	Expect(w.Create(ctx, w.Order("placed", reference))).To(Succeed())
	await("placed", v1alpha1.ReasonSubmitted)
	Expect(w.Create(ctx, w.Order("twice", reference))).To(Succeed())
	await("twice", v1alpha1.ReasonConflict)
	Expect(w.Create(ctx, w.Order("waiting", "SITE-015", func(o *v1alpha1.ServiceOrder) {
		o.Spec.QualificationResultRef = &v1alpha1.ConfigMapKeyReference{Name: "missing", Key: "result.json"}
	}))).To(Succeed())
	await("waiting", v1alpha1.ReasonOrderNotPossible)
	Expect(w.Ordered(reference).Seen).To(Equal(1))
}

// requestAppointment requests slots, and then withdraws the request.
func (w rightsWorld) requestAppointment(ctx context.Context) {
	GinkgoHelper()
	visit := w.Appointment("visit", func(a *v1alpha1.AppointmentRequest) { a.Spec.DateFrom = "2099-01-05" })
	Expect(w.Create(ctx, visit)).To(Succeed())
	Eventually(ctx, func(g Gomega) {
		ready := world.Condition(w.ReadAppointment(ctx, visit.Name).Status.Conditions, v1alpha1.ConditionReady)
		g.Expect(ready.Reason).To(Equal(v1alpha1.ReasonCompleted), ready.Message)
	}).WithTimeout(time.Minute).Should(Succeed())
	Expect(w.Delete(ctx, visit)).To(Succeed())
	w.awaitGone(ctx, visit)
}
