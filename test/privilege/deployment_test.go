// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"context"
	"os"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// find reads an object in the operator's namespace.
func find[T client.Object](ctx context.Context, name string, object T) T {
	GinkgoHelper()
	Expect(plane.Client.Get(ctx, client.ObjectKey{Namespace: world.OperatorName, Name: name}, object)).To(Succeed())
	return object
}

func deployment(ctx context.Context) *appsv1.Deployment {
	GinkgoHelper()
	return find(ctx, "broadband-operator-manager", &appsv1.Deployment{})
}

// admit checks whether the operator's namespace admits a pod, as the Deployment's controller would
// create it.
func admit(ctx context.Context, spec corev1.PodSpec) error {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: world.OperatorName, GenerateName: "manager-"}, Spec: spec}
	return plane.Client.Create(ctx, pod, client.DryRunAll)
}

var _ = Describe("config/default", func() {
	It("is accepted by an empty cluster, and changes nothing a second time", func(ctx SpecContext) {
		before := versions(ctx)
		Expect(before).To(HaveKey("Deployment broadband-operator-manager"))
		install()
		Expect(versions(ctx)).To(Equal(before))
	})

	It("runs a pod that the restricted Pod Security standard admits", func(ctx SpecContext) {
		enforced := &corev1.Namespace{}
		Expect(plane.Client.Get(ctx, client.ObjectKey{Name: world.OperatorName}, enforced)).To(Succeed())
		for _, mode := range []string{"enforce", "warn", "audit"} {
			Expect(enforced.Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/"+mode, "restricted"))
		}
		Expect(enforced.Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/enforce-version", "v1.32"),
			"docs/install.md names it as the oldest version that is supported")
		Expect(enforced.Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/warn-version", "latest"))
		Expect(enforced.Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/audit-version", "latest"))

		Expect(admit(ctx, deployment(ctx).Spec.Template.Spec)).To(Succeed())
	})

	DescribeTable("runs in a namespace that refuses a pod",
		func(ctx SpecContext, loosen func(*corev1.PodSpec), field string) {
			spec := deployment(ctx).Spec.Template.Spec
			loosen(&spec)
			err := admit(ctx, spec)
			Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
			Expect(err).To(MatchError(And(ContainSubstring("violates PodSecurity"), ContainSubstring(field))))
		},
		Entry("that may run as root", func(pod *corev1.PodSpec) { pod.SecurityContext.RunAsNonRoot = nil }, "runAsNonRoot"),
		Entry("with any system call", func(pod *corev1.PodSpec) { pod.SecurityContext.SeccompProfile = nil }, "seccomp"),
		Entry("with capabilities", func(pod *corev1.PodSpec) { pod.Containers[0].SecurityContext.Capabilities = nil },
			"capabilities"),
		Entry("that can gain permissions", func(pod *corev1.PodSpec) {
			pod.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil
		}, "allowPrivilegeEscalation"),
		Entry("that sees the node", func(pod *corev1.PodSpec) { pod.HostNetwork = true }, "host namespaces"),
	)

	It("has labels with its version, and on all that belongs to the managers their component", func(ctx SpecContext) {
		stated, err := os.ReadFile("../../VERSION")
		Expect(err).NotTo(HaveOccurred())
		version := HaveKeyWithValue("app.kubernetes.io/version", strings.TrimSpace(string(stated)))
		component := HaveKeyWithValue("app.kubernetes.io/component", "manager")
		for _, object := range rendered("default") {
			Expect(object.GetLabels()).To(version, "%s %s", object.GetKind(), object.GetName())
			switch object.GetKind() {
			case "Deployment", "PriorityClass", "PodDisruptionBudget", "Service", "NetworkPolicy":
				Expect(object.GetLabels()).To(component, "%s %s", object.GetKind(), object.GetName())
			}
		}
		Expect(deployment(ctx).Spec.Template.Labels).To(And(version, component))
	})

	It("is preempted after other pods, but is no system component", func(ctx SpecContext) {
		class := &schedulingv1.PriorityClass{}
		name := deployment(ctx).Spec.Template.Spec.PriorityClassName
		Expect(plane.Client.Get(ctx, client.ObjectKey{Name: name}, class)).To(Succeed())
		Expect(class.Value).To(And(BeNumerically(">", 0), BeNumerically("<=", 1_000_000_000)))
		Expect(class.GlobalDefault).To(BeFalse())
	})

	It("gives the token of the ServiceAccount to the manager's pods and no others", func(ctx SpecContext) {
		pod := deployment(ctx).Spec.Template.Spec
		account := find(ctx, pod.ServiceAccountName, &corev1.ServiceAccount{})
		Expect(account.AutomountServiceAccountToken).To(HaveValue(BeFalse()))
		Expect(pod.AutomountServiceAccountToken).To(HaveValue(BeTrue()))
	})

	It("runs two managers on two nodes, one of which survives a drain", func(ctx SpecContext) {
		deployed := deployment(ctx)
		Expect(deployed.Spec.Replicas).To(HaveValue(BeEquivalentTo(2)))
		pods := labels.Set(deployed.Spec.Template.Labels)
		apart := deployed.Spec.Template.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		Expect(apart).To(HaveLen(1))
		Expect(apart[0].PodAffinityTerm.TopologyKey).To(Equal(corev1.LabelHostname))
		Expect(selects(apart[0].PodAffinityTerm.LabelSelector, pods)).To(BeTrue())

		budget := find(ctx, deployed.Name, &policyv1.PodDisruptionBudget{})
		Expect(budget.Spec.MinAvailable).To(HaveValue(Equal(intstr.FromInt32(1))))
		Expect(selects(budget.Spec.Selector, pods)).To(BeTrue())
	})

	It("makes Go collect garbage before the kernel ends the process", func(ctx SpecContext) {
		manager := deployment(ctx).Spec.Template.Spec.Containers[0]
		limit := manager.Resources.Limits.Memory()
		var goal resource.Quantity
		for _, variable := range manager.Env {
			if variable.Name == "GOMEMLIMIT" {
				// Go writes MiB where Kubernetes writes Mi.
				goal = resource.MustParse(variable.Value[:len(variable.Value)-1])
			}
		}
		Expect(goal.Value()).To(BeNumerically(">", manager.Resources.Requests.Memory().Value()))
		Expect(goal.Value()).To(BeNumerically("<=", limit.Value()*95/100))
	})

	It("has a kubelet restart the manager when it hangs, and never because of the carrier", func(ctx SpecContext) {
		manager := deployment(ctx).Spec.Template.Spec.Containers[0]
		Expect(manager.LivenessProbe.HTTPGet.Path).To(Equal("/healthz"))
		Expect(manager.ReadinessProbe.HTTPGet.Path).To(Equal("/readyz"))
		timeout := time.Duration(manager.ReadinessProbe.TimeoutSeconds) * time.Second
		Expect(timeout).To(Equal(time.Second), "cachesFull in internal/manager responds within half of it")
	})

	It("routes each Service to a port of the manager", func(ctx SpecContext) {
		deployed := deployment(ctx)
		for _, name := range []string{"metrics", "events"} {
			service := find(ctx, "broadband-operator-"+name, &corev1.Service{})
			Expect(labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(deployed.Spec.Template.Labels))).To(BeTrue())
			Expect(service.Spec.Ports).To(HaveLen(1))
			Expect(service.Spec.Ports[0].Name).To(Equal(name))
			Expect(service.Spec.Ports[0].TargetPort).To(Equal(intstr.FromString(name)))
			Expect(portOf(deployed, name)).To(Equal(service.Spec.Ports[0].Port))
		}
	})

	It("allows only the named traffic in and out of its pods, and denies nothing to others", func(ctx SpecContext) {
		var policies networkingv1.NetworkPolicyList
		Expect(plane.Client.List(ctx, &policies, client.InNamespace(world.OperatorName))).To(Succeed())
		Expect(policies.Items).To(HaveLen(1))
		let := policies.Items[0]
		Expect(let.Spec.PolicyTypes).To(ConsistOf(networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress))
		deployed := deployment(ctx)
		Expect(selects(&let.Spec.PodSelector, deployed.Spec.Template.Labels)).To(BeTrue())
		for _, rule := range let.Spec.Ingress {
			for _, port := range rule.Ports {
				Expect(portOf(deployed, port.Port.StrVal)).NotTo(BeZero(), "a port of the manager")
				metrics := port.Port.StrVal == "metrics"
				Expect(rule.From != nil).To(Equal(metrics), "the metrics for the monitoring, the events from anywhere")
			}
		}
		Expect(let.Spec.Ingress).To(HaveLen(2))
		Expect(let.Spec.Egress).To(HaveLen(2), "DNS, and https")
	})

	It("mounts the certificate of the events receiver when there is one", func(ctx SpecContext) {
		pod := deployment(ctx).Spec.Template.Spec
		Expect(pod.Volumes).To(HaveLen(1))
		Expect(pod.Volumes[0].Secret.SecretName).To(Equal("broadband-operator-events-cert"))
		Expect(pod.Volumes[0].Secret.Optional).To(HaveValue(BeTrue()))
		Expect(pod.Containers[0].VolumeMounts).To(ConsistOf(corev1.VolumeMount{
			Name: pod.Volumes[0].Name, MountPath: "/etc/broadband-operator/events-cert", ReadOnly: true,
		}))
	})
})

func selects(selector *metav1.LabelSelector, set labels.Set) bool {
	GinkgoHelper()
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	Expect(err).NotTo(HaveOccurred())
	return !parsed.Empty() && parsed.Matches(set)
}

// portOf returns the number of a manager's port by name; 0 if there is none.
func portOf(deployed *appsv1.Deployment, name string) int32 {
	for _, port := range deployed.Spec.Template.Spec.Containers[0].Ports {
		if port.Name == name {
			return port.ContainerPort
		}
	}
	return 0
}
