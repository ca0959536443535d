// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"context"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// renderedInto returns the objects of one kind in a folder.
func renderedInto[T any](folder, kind, name string, into func() *T) []*T {
	GinkgoHelper()
	var found []*T
	for _, object := range rendered(folder) {
		if object.GetKind() == kind && object.GetName() == name {
			typed := into()
			Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed)).To(Succeed())
			found = append(found, typed)
		}
	}
	return found
}

// single splits rules into one verb on one resource each.
func single(rules []rbacv1.PolicyRule) []string {
	var rights []string
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					rights = append(rights, verb+" "+resource+"."+group)
				}
			}
		}
	}
	slices.Sort(rights)
	return rights
}

// kinds returns lists of all kinds that an account and its objects need.
func kinds() []client.ObjectList {
	return []client.ObjectList{
		&v1alpha1.CarrierAccountList{}, &v1alpha1.BroadbandServiceList{}, &v1alpha1.ServiceOrderList{},
		&v1alpha1.AppointmentRequestList{}, &v1alpha1.DiagnosticTestList{}, &v1alpha1.FibreBuildQuoteList{},
		&v1alpha1.PlanOptionsQueryList{}, &v1alpha1.HealthCheckList{}, &corev1.SecretList{}, &corev1.ConfigMapList{},
		&corev1.PodList{},
	}
}

var _ = Describe("config/namespaced", Ordered, func() {
	const example = "namespaced/example"
	clusterRole := func() *rbacv1.ClusterRole { return &rbacv1.ClusterRole{} }
	role := func() *rbacv1.Role { return &rbacv1.Role{} }

	It("has every rule of the generated role once: for a namespace, or for cluster-scoped kinds (R29)", func() {
		all := renderedInto("default", "ClusterRole", "broadband-operator-manager-role", clusterRole)
		Expect(all).To(HaveLen(1))
		inNamespace := renderedInto("namespaced/namespace", "Role", "broadband-operator-manager-role", role)
		Expect(inNamespace).To(HaveLen(1))
		apart := renderedInto(example, "ClusterRole", "broadband-operator-ledger-role", clusterRole)
		Expect(apart).To(HaveLen(1))
		const readNamespace = "get namespaces." // the managed one, and kube-system
		Expect(single(inNamespace[0].Rules)).To(ContainElement(readNamespace))
		Expect(single(inNamespace[0].Rules)).NotTo(ContainElement(ContainSubstring("admission")))
		withoutLedgers := slices.DeleteFunc(single(inNamespace[0].Rules), func(right string) bool {
			return right == readNamespace
		})
		Expect(append(withoutLedgers, single(apart[0].Rules)...)).To(ConsistOf(single(all[0].Rules)))
		Expect(withoutLedgers).NotTo(ContainElement(ContainSubstring("requestledgers")))
	})

	It("has a Role in each namespace, and no permission for the kinds in all of them (R29)", func() {
		Expect(renderedInto(example, "Role", "broadband-operator-manager-role", role)).To(
			ConsistOf(HaveField("Namespace", "sites"), HaveField("Namespace", "offices")))
		Expect(renderedInto(example, "ClusterRole", "broadband-operator-manager-role", clusterRole)).To(BeEmpty())
		Expect(renderedInto(example, "ClusterRoleBinding", "broadband-operator-manager-rolebinding",
			func() *rbacv1.ClusterRoleBinding { return &rbacv1.ClusterRoleBinding{} })).To(BeEmpty())
		manager := renderedInto(example, "Deployment", "broadband-operator-manager",
			func() *appsv1.Deployment { return &appsv1.Deployment{} })
		Expect(manager).To(HaveLen(1))
		Expect(manager[0].Spec.Template.Spec.Containers[0].Args).To(ContainElements(
			"--namespaces=sites,offices", "--leader-elect"))
	})

	Context("in a cluster of its own", func() {
		BeforeAll(func(ctx SpecContext) {
			shared := plane
			DeferCleanup(func() { plane = shared })
			var err error
			plane, err = world.StartEmpty()
			Expect(err).NotTo(HaveOccurred())
			DeferCleanup(plane.Stop)
			for _, namespace := range []string{"sites", "offices"} {
				Expect(plane.AddNamespace(ctx, namespace)).To(Succeed())
			}
			_, err = plane.Kubectl("apply", "--server-side", "--kustomize", configOf(example))
			Expect(err).NotTo(HaveOccurred())
		})

		// allow grants the manager its permissions in a namespace, as an overlay does.
		allow := func(ctx context.Context, namespace string) {
			GinkgoHelper()
			for _, object := range rendered("namespaced/namespace") {
				object.SetNamespace(namespace)
				Expect(plane.Client.Create(ctx, object)).To(Succeed())
			}
		}

		It("lets the manager do all its work in its namespaces (R29)", func(ctx SpecContext) {
			w := world.New(ctx, plane)
			allow(ctx, w.Namespace)
			w.Login(ctx)
			line := w.Line()
			Expect(w.Create(ctx, w.Service("site", line))).To(Succeed())
			Expect(w.Create(ctx, w.Test("test", w.Line()))).To(Succeed())
			Expect(w.Create(ctx, w.Quote("quote", world.QualifiedSite))).To(Succeed())
			Expect(w.Create(ctx, w.Query("query", w.Line()))).To(Succeed())
			Expect(w.Create(ctx, w.Check("check", w.Line()))).To(Succeed())
			Expect(w.Create(ctx, w.Order("order", "SITE-1"))).To(Succeed())
			manager := w.Manage(ctx, operator)
			for name, object := range map[string]client.Object{
				"site": &v1alpha1.BroadbandService{}, "test": &v1alpha1.DiagnosticTest{},
				"quote": &v1alpha1.FibreBuildQuote{}, "query": &v1alpha1.PlanOptionsQuery{}, "check": &v1alpha1.HealthCheck{},
				"order": &v1alpha1.ServiceOrder{},
			} {
				Eventually(ctx, func(g Gomega) {
					manager.AdvanceWhenIdle(5 * time.Second)
					g.Expect(w.Get(ctx, client.ObjectKey{Namespace: w.Namespace, Name: name}, object)).To(Succeed())
					described, is := object.(v1alpha1.Described)
					g.Expect(is).To(BeTrue())
					conditions, _ := described.Describes()
					ready := world.Condition(*conditions, v1alpha1.ConditionReady)
					g.Expect(ready.Status).To(Equal(metav1.ConditionTrue), ready.Reason+": "+ready.Message)
				}).WithPolling(100*time.Millisecond).WithTimeout(2*time.Minute).Should(Succeed(), name)
			}
			Expect(w.Posts(line)).To(Equal(1))

			By("deleting an AppointmentRequest, for which it reads the namespace")
			Expect(w.Create(ctx, w.Appointment("visit"))).To(Succeed())
			Eventually(ctx, func(g Gomega) {
				manager.AdvanceWhenIdle(5 * time.Second)
				visit := w.ReadAppointment(ctx, "visit")
				g.Expect(world.Condition(visit.Status.Conditions, v1alpha1.ConditionReady).Status).To(Equal(metav1.ConditionTrue))
			}).WithPolling(100 * time.Millisecond).WithTimeout(time.Minute).Should(Succeed())
			Expect(w.Delete(ctx, w.ReadAppointment(ctx, "visit"))).To(Succeed())
			Eventually(ctx, func() *v1alpha1.AppointmentRequest {
				manager.AdvanceWhenIdle(5 * time.Second)
				return w.ReadAppointment(ctx, "visit")
			}).WithPolling(100 * time.Millisecond).WithTimeout(time.Minute).Should(BeNil())
		})

		It("lets it say why a RequestLedger stays", func(ctx SpecContext) {
			w := world.New(ctx, plane)
			allow(ctx, w.Namespace)
			ledger := &v1alpha1.RequestLedger{
				ObjectMeta: metav1.ObjectMeta{Name: "order-kept", Finalizers: []string{v1alpha1.FinalizerMemory}},
				Spec:       v1alpha1.RequestLedgerSpec{Schema: 1, Login: tenant(), Revision: 1},
			}
			Expect(as(operator).Create(ctx, ledger)).To(Succeed())
			letDelete(ctx, operator)
			Eventually(func() error { return as(operator).Delete(ctx, ledger) }).WithTimeout(time.Minute).Should(Succeed())
			w.Manage(ctx, operator)
			Eventually(ctx, func(g Gomega) {
				var said eventsv1.EventList
				g.Expect(w.List(ctx, &said, client.InNamespace(metav1.NamespaceDefault))).To(Succeed())
				g.Expect(said.Items).To(ContainElement(And(
					HaveField("Reason", "LedgerKept"), HaveField("Regarding.Name", ledger.Name))))
			}).WithPolling(100 * time.Millisecond).WithTimeout(time.Minute).Should(Succeed())
		})

		It("lets it read and write nothing in another namespace (R29)", func(ctx SpecContext) {
			Expect(plane.AddNamespace(ctx, "elsewhere")).To(Succeed())
			elsewhere := client.InNamespace("elsewhere")
			for _, list := range kinds() {
				Expect(as(operator).List(ctx, list, elsewhere)).To(Satisfy(apierrors.IsForbidden))
				Expect(as(operator).List(ctx, list)).To(Satisfy(apierrors.IsForbidden))
			}
			key := client.ObjectKey{Namespace: "elsewhere", Name: "any"}
			for _, object := range []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}, &v1alpha1.CarrierAccount{}} {
				Expect(as(operator).Get(ctx, key, object)).To(Satisfy(apierrors.IsForbidden))
			}
			Expect(rights(ctx, operator, "sites")).To(ContainElement("secrets: get"))
			Expect(rights(ctx, operator, "elsewhere")).To(ConsistOf(
				"namespaces: get", // of kube-system only
				"requestledgers.wholesale.broadband: create get list update watch",
				"subjectaccessreviews.authorization.k8s.io: create",
				"tokenreviews.authentication.k8s.io: create",
				"validatingadmissionpolicies.admissionregistration.k8s.io: get", // of our own
				"validatingadmissionpolicybindings.admissionregistration.k8s.io: get",
			))
			var namespace corev1.Namespace
			Expect(as(operator).Get(ctx, client.ObjectKey{Name: "elsewhere"}, &namespace)).To(Satisfy(apierrors.IsForbidden))
			Expect(as(operator).Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, &namespace)).To(Succeed())
		})
	})
})
