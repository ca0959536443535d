// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"context"
	"maps"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/pkg/admission"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// operator is the service account of the manager in config/manager.
const operator = "system:serviceaccount:broadband-operator:broadband-operator-manager"

// rights returns what a user may do in a namespace beyond what every user may, one resource per
// line, as in `kubectl auth can-i --list`.
func rights(ctx context.Context, user, namespace string) []string {
	GinkgoHelper()
	own, everybodys := reviewed(ctx, user, namespace), reviewed(ctx, "system:serviceaccount:default:stranger", namespace)
	var lines []string
	for _, resource := range slices.Sorted(maps.Keys(own)) {
		verbs := slices.DeleteFunc(own[resource], func(verb string) bool {
			return slices.Contains(everybodys[resource], verb)
		})
		if len(verbs) > 0 {
			slices.Sort(verbs)
			lines = append(lines, resource+": "+strings.Join(slices.Compact(verbs), " "))
		}
	}
	return lines
}

// policyNames returns the names of the admission policies, the only ones that the operator may read.
func policyNames() []string {
	GinkgoHelper()
	shipped, err := admission.Shipped(world.OperatorName)
	Expect(err).NotTo(HaveOccurred())
	names := make([]string, 0, len(shipped))
	for _, one := range shipped {
		names = append(names, one.Name())
	}
	return names
}

// reviewed returns the verbs that a user has, by resource.group or path.
func reviewed(ctx context.Context, user, namespace string) map[string][]string {
	GinkgoHelper()
	review := &authorizationv1.SelfSubjectRulesReview{
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
	}
	Expect(as(user).Create(ctx, review)).To(Succeed())
	Expect(review.Status.Incomplete).To(BeFalse())
	verbs := map[string][]string{}
	for _, rule := range review.Status.ResourceRules {
		Expect(rule.ResourceNames).To(Or(BeEmpty(), Equal([]string{metav1.NamespaceSystem}), ConsistOf(policyNames())))
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				name := strings.TrimSuffix(resource+"."+group, ".")
				verbs[name] = append(verbs[name], rule.Verbs...)
			}
		}
	}
	for _, rule := range review.Status.NonResourceRules {
		for _, path := range rule.NonResourceURLs {
			verbs[path] = append(verbs[path], rule.Verbs...)
		}
	}
	return verbs
}

var _ = Describe("The operator", func() {
	It("may do in every namespace what is listed here, and nothing else", func(ctx SpecContext) {
		Expect(rights(ctx, operator, metav1.NamespaceDefault)).To(Equal([]string{
			"appointmentrequests.wholesale.broadband: get list patch watch",
			"appointmentrequests/status.wholesale.broadband: update",
			"broadbandservices.wholesale.broadband: get list watch",
			"broadbandservices/status.wholesale.broadband: update",
			"carrieraccounts.wholesale.broadband: get list watch",
			"carrieraccounts/status.wholesale.broadband: update",
			"configmaps: get",
			"diagnostictests.wholesale.broadband: delete get list patch watch",
			"diagnostictests/status.wholesale.broadband: update",
			"events.events.k8s.io: create patch",
			"fibrebuildquotes.wholesale.broadband: delete get list watch",
			"fibrebuildquotes/status.wholesale.broadband: update",
			"healthchecks.wholesale.broadband: delete get list watch",
			"healthchecks/status.wholesale.broadband: update",
			"namespaces: get",
			"planoptionsqueries.wholesale.broadband: delete get list watch",
			"planoptionsqueries/status.wholesale.broadband: update",
			"requestledgers.wholesale.broadband: create get list update watch",
			"secrets: get",
			"serviceorders.wholesale.broadband: get list watch",
			"serviceorders/status.wholesale.broadband: update",
			"subjectaccessreviews.authorization.k8s.io: create",
			"tokenreviews.authentication.k8s.io: create",
			"validatingadmissionpolicies.admissionregistration.k8s.io: get",
			"validatingadmissionpolicybindings.admissionregistration.k8s.io: get",
		}))
	})

	It("may keep its lease in its own namespace, besides", func(ctx SpecContext) {
		everywhere := rights(ctx, operator, metav1.NamespaceDefault)
		besides := slices.DeleteFunc(rights(ctx, operator, world.OperatorName), func(line string) bool {
			return slices.Contains(everywhere, line)
		})
		Expect(besides).To(Equal([]string{
			"events: create",
			"leases.coordination.k8s.io: create get update",
		}))
	})
})

// people returns the roles that we bind to no one, each with its permissions.
func people() map[string][]string {
	const write = "create delete deletecollection get list patch update watch"
	each := func(verbs string, resources ...string) []string {
		lines := make([]string, 0, len(resources))
		for _, resource := range resources {
			lines = append(lines, resource+".wholesale.broadband: "+verbs)
		}
		return lines
	}
	objects := []string{
		"appointmentrequests", "broadbandservices", "diagnostictests", "fibrebuildquotes", "healthchecks",
		"planoptionsqueries", "serviceorders",
	}
	return map[string][]string{
		"viewer":         each("get list watch", append([]string{"carrieraccounts", "requestledgers"}, objects...)...),
		"editor":         each(write, objects...),
		"account-editor": each(write, "carrieraccounts"),
		"approver":       each("approve get list patch watch", "broadbandservices", "diagnostictests", "serviceorders"),
		"resolver":       each("get list patch resolve watch", objects...),
		"ledger-editor":  each("get list patch", "requestledgers"),
		"metrics-reader": {"/metrics: get"},
	}
}

var _ = Describe("The roles for people", func() {
	for role, listed := range people() {
		It("are what is listed here: "+role, func(ctx SpecContext) {
			name := "holder-of-" + role
			Expect(plane.Client.Create(ctx, &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"},
				Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
				RoleRef: rbacv1.RoleRef{
					APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "broadband-operator-" + role,
				},
			})).To(Succeed())
			Eventually(ctx, func() []string { return rights(ctx, name, metav1.NamespaceDefault) }).
				Should(ConsistOf(listed))
		})
	}

	// The controller that aggregates roles is not part of the API server. The test checks what it
	// would select.
	DescribeTable("add to those that Kubernetes has", func(ctx SpecContext, kubernetes string, ours ...string) {
		var aggregated rbacv1.ClusterRole
		Expect(plane.Client.Get(ctx, client.ObjectKey{Name: kubernetes}, &aggregated)).To(Succeed())
		Expect(aggregated.AggregationRule.ClusterRoleSelectors).To(HaveLen(1))
		selector, err := metav1.LabelSelectorAsSelector(&aggregated.AggregationRule.ClusterRoleSelectors[0])
		Expect(err).NotTo(HaveOccurred())
		Expect(ourRoles(ctx, selector)).To(ConsistOf(ours))
	},
		Entry("view", "view", "viewer"),
		Entry("edit, which has those of view", "edit", "editor"),
		Entry("admin, which has those of edit, and none that spends money or names a login", "admin"),
	)

	It("are bound to nobody", func() {
		for _, object := range rendered("default") {
			if !strings.HasSuffix(object.GetKind(), "RoleBinding") {
				continue
			}
			var binding rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
			Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &binding)).To(Succeed())
			Expect(binding.Subjects).To(ConsistOf(rbacv1.Subject{
				Kind: rbacv1.ServiceAccountKind, Namespace: world.OperatorName, Name: "broadband-operator-manager",
			}))
			Expect(people()).NotTo(HaveKey(strings.TrimPrefix(binding.RoleRef.Name, "broadband-operator-")))
		}
	})
})

var _ = Describe("A binding", func() {
	for _, folder := range []string{"default", "namespaced/example"} {
		It("refers to a role of the same folder: config/"+folder, func() {
			var roles, referred []string
			for _, object := range rendered(folder) {
				switch object.GetKind() {
				case "Role", "ClusterRole":
					roles = append(roles, idOf(object.GetKind(), object.GetNamespace(), object.GetName()))
				case "RoleBinding", "ClusterRoleBinding":
					var binding rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
					Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &binding)).To(Succeed())
					referred = append(referred, idOf(binding.RoleRef.Kind, binding.Namespace, binding.RoleRef.Name))
				}
			}
			Expect(referred).NotTo(BeEmpty())
			Expect(roles).To(ContainElements(referred))
		})
	}
})

// idOf identifies a role. A ClusterRole is in no namespace, also if a RoleBinding refers to it.
func idOf(kind, namespace, name string) string {
	if kind == "ClusterRole" {
		return kind + " " + name
	}
	return kind + " " + namespace + "/" + name
}

// ourRoles returns the roles for people that a selector matches.
func ourRoles(ctx context.Context, selector labels.Selector) []string {
	GinkgoHelper()
	var roles rbacv1.ClusterRoleList
	Expect(plane.Client.List(ctx, &roles, client.MatchingLabelsSelector{Selector: selector})).To(Succeed())
	var ours []string
	for i := range roles.Items {
		if name, is := strings.CutPrefix(roles.Items[i].Name, "broadband-operator-"); is {
			ours = append(ours, name)
		}
	}
	return ours
}
