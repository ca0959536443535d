// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"context"
	"encoding/json"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// team is a namespace in which people have roles.
const team = "team"

// userWith returns a client for a user who has ClusterRoles in the team's namespace, each by its
// name in config/rbac.
func userWith(ctx context.Context, name string, roles ...string) client.Client {
	GinkgoHelper()
	for _, role := range roles {
		Expect(plane.Client.Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: team, GenerateName: name + "-"},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
			RoleRef: rbacv1.RoleRef{
				APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "broadband-operator-" + role,
			},
		})).To(Succeed())
	}
	return as(name)
}

// as returns a client for a user.
func as(name string) client.Client {
	GinkgoHelper()
	config := rest.CopyConfig(plane.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: name}
	user, err := client.New(config, client.Options{Scheme: plane.Scheme})
	Expect(err).NotTo(HaveOccurred())
	return user
}

// service builds the manifest of a service with annotations.
func service(annotations map[string]string) *v1alpha1.BroadbandService {
	id := int64(1_000_014)
	return &v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: team, Name: "site-" + string(uuid.NewUUID())[:8], Annotations: annotations,
		},
		Spec: v1alpha1.BroadbandServiceSpec{
			AccountRef: v1alpha1.AccountReference{Name: "default"}, ServiceID: v1alpha1.CarrierIDOf(id),
			Plan: &v1alpha1.Plan{Name: plan, Term: 12},
		},
	}
}

// annotate sets annotations as kubectl annotate does, or removes them with a nil.
func annotate(ctx context.Context, user client.Client, object client.Object, values map[string]any) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": values}})
	Expect(err).NotTo(HaveOccurred())
	return user.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch))
}

// declared returns the manifest of a service as a user applies it.
func declared(of *v1alpha1.BroadbandService, plan string) runtime.ApplyConfiguration {
	GinkgoHelper()
	manifest := service(of.Annotations)
	manifest.Name, manifest.Spec.Plan.Name = of.Name, plan
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(manifest)
	Expect(err).NotTo(HaveOccurred())
	object := &unstructured.Unstructured{Object: fields}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("BroadbandService"))
	unstructured.RemoveNestedField(object.Object, "status")
	return client.ApplyConfigurationFromUnstructured(object)
}

// Two plans, one of which is declared first.
const (
	plan  = "Home 100/20"
	other = "Home 50/20"
)

// Two values of each annotation.
const (
	approval        = "p3f9c1a7e40b2d8165c0d9e3f71a2b684"
	otherApproval   = "p00000000000000000000000000000000"
	resolution      = attempt + "=NotAccepted"
	otherResolution = attempt + "=Abandoned"
)

func approved() map[string]any { return map[string]any{v1alpha1.AnnotationApprove: approval} }

func resolved() map[string]any { return map[string]any{v1alpha1.AnnotationResolve: resolution} }

// refusal matches exactly the policy's message.
func refusal(verb, user string) OmegaMatcher {
	return And(
		WithTransform(apierrors.IsForbidden, BeTrue()),
		MatchError(ContainSubstring("the annotation wholesale.broadband/"+verb)),
		MatchError(ContainSubstring(user+" may not "+verb+" broadbandservices in namespace "+team)),
		MatchError(MatchRegexp("bound to the ClusterRole broadband-operator-(approver|resolver) to (approve|resolve)$")),
	)
}

var _ = Describe("An annotation that spends money", Ordered, func() {
	var editor, approver, resolver client.Client

	// held creates a service that an editor has declared.
	held := func(ctx context.Context, annotations map[string]string) *v1alpha1.BroadbandService {
		GinkgoHelper()
		made := service(annotations)
		Expect(plane.Client.Create(ctx, made)).To(Succeed())
		return made
	}

	BeforeAll(func(ctx SpecContext) {
		editor = userWith(ctx, "editor", "editor")
		approver = userWith(ctx, "approver", "approver")
		resolver = userWith(ctx, "resolver", "resolver")
		Eventually(func() error {
			return editor.Create(ctx, service(map[string]string{v1alpha1.AnnotationApprove: approval}), client.DryRunAll)
		}).WithTimeout(time.Minute).Should(HaveOccurred(), "the API server applies the policy and the roles")
	})

	It("cannot be set by an editor, and the refusal says what to do", func(ctx SpecContext) {
		object := held(ctx, nil)
		err := annotate(ctx, editor, object, approved())
		Expect(err).To(refusal("approve", "editor"))
		Expect(err.Error()).To(Equal(`broadbandservices.wholesale.broadband "` + object.Name + `" is forbidden: ` +
			`ValidatingAdmissionPolicy 'broadband-operator-approval' with binding 'broadband-operator-approval' ` +
			`denied request: the annotation wholesale.broadband/approve spends money, and editor may not approve ` +
			`broadbandservices in namespace team: leave the annotation as it was, or ask somebody who is bound to the ` +
			`ClusterRole broadband-operator-approver to approve`))
		Expect(annotate(ctx, editor, object, resolved())).To(refusal("resolve", "editor"))
	})

	It("cannot be set at creation either", func(ctx SpecContext) {
		Expect(editor.Create(ctx, service(map[string]string{v1alpha1.AnnotationApprove: approval}))).
			To(refusal("approve", "editor"))
		Expect(editor.Create(ctx, service(map[string]string{v1alpha1.AnnotationResolve: resolution}))).
			To(refusal("resolve", "editor"))
		Expect(editor.Create(ctx, service(map[string]string{v1alpha1.AnnotationRetry: attempt}))).To(Succeed())
	})

	It("can be set only with its own verb", func(ctx SpecContext) {
		object := held(ctx, nil)
		Expect(annotate(ctx, approver, object, resolved())).To(refusal("resolve", "approver"))
		Expect(annotate(ctx, resolver, object, approved())).To(refusal("approve", "resolver"))
		Expect(annotate(ctx, approver, object, approved())).To(Succeed())
		Expect(annotate(ctx, resolver, object, resolved())).To(Succeed())
	})

	It("can be set where the role is bound, and in no other namespace", func(ctx SpecContext) {
		elsewhere := service(nil)
		elsewhere.Namespace = metav1.NamespaceDefault
		Expect(plane.Client.Create(ctx, elsewhere)).To(Succeed())
		Expect(apierrors.IsForbidden(annotate(ctx, approver, elsewhere, approved()))).To(BeTrue())
	})

	It("stays through an edit by a user who may not set it", func(ctx SpecContext) {
		object := held(ctx, map[string]string{
			v1alpha1.AnnotationApprove: approval, v1alpha1.AnnotationResolve: resolution,
		})
		object.Spec.Plan.Name = other
		Expect(editor.Update(ctx, object)).To(Succeed())
		Expect(annotate(ctx, editor, object, retrying(attempt))).To(Succeed())
		Expect(annotate(ctx, editor, object, approved())).To(Succeed(), "the same once more")
		Expect(object.Annotations).To(HaveLen(3))
	})

	It("can be removed by anybody, but not changed", func(ctx SpecContext) {
		object := held(ctx, map[string]string{
			v1alpha1.AnnotationApprove: approval, v1alpha1.AnnotationResolve: resolution,
		})
		for verb, change := range map[string]map[string]any{
			"approve": {v1alpha1.AnnotationApprove: otherApproval},
			"resolve": {v1alpha1.AnnotationResolve: otherResolution},
		} {
			Expect(annotate(ctx, editor, object, change)).To(refusal(verb, "editor"))
		}
		Expect(annotate(ctx, editor, object, map[string]any{v1alpha1.AnnotationApprove: ""})).
			To(MatchError(ContainSubstring("the annotation " + v1alpha1.AnnotationApprove)))
		Expect(annotate(ctx, editor, object, map[string]any{
			v1alpha1.AnnotationApprove: nil, v1alpha1.AnnotationResolve: nil,
		})).To(Succeed())
		Expect(object.Annotations).To(BeEmpty())
		Expect(annotate(ctx, editor, object, approved())).To(refusal("approve", "editor"))
	})

	It("is checked in kubectl apply --server-side, too", func(ctx SpecContext) {
		object := held(ctx, nil)
		with := object.DeepCopy()
		with.Annotations = map[string]string{v1alpha1.AnnotationApprove: approval}
		apply := func(user client.Client, manifest runtime.ApplyConfiguration) error {
			return user.Apply(ctx, manifest, client.FieldOwner("kubectl"), client.ForceOwnership)
		}
		Expect(apply(editor, declared(object, other))).To(Succeed())
		Expect(apply(editor, declared(with, other))).To(refusal("approve", "editor"))
		Expect(apply(approver, declared(with, other))).To(Succeed())
		Expect(apply(editor, declared(with, plan))).To(Succeed(), "an edit with the approval in the manifest")
		Expect(apply(editor, declared(object, plan))).To(Succeed(), "a manifest without it removes it")
		Expect(annotate(ctx, editor, object, nil)).To(Succeed())
		Expect(object.Annotations).To(BeEmpty())
	})

	It("cannot be made unnecessary by a user who may not set it", func(ctx SpecContext) {
		asking := func(policy v1alpha1.Approval) *v1alpha1.BroadbandService {
			made := service(nil)
			made.Spec.Approval = policy
			return made
		}
		refused := And(WithTransform(apierrors.IsForbidden, BeTrue()), MatchError(ContainSubstring(
			"spec.approval: Automatic spends money without asking, and editor may not approve broadbandservices")))
		Expect(editor.Create(ctx, asking(v1alpha1.ApprovalAutomatic))).To(refused)
		Expect(editor.Create(ctx, asking(v1alpha1.ApprovalOnCost))).To(Succeed())
		object := asking(v1alpha1.ApprovalAlways)
		Expect(editor.Create(ctx, object)).To(Succeed())
		waive := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"approval":"Automatic"}}`))
		Expect(editor.Patch(ctx, object.DeepCopy(), waive)).To(refused)
		Expect(approver.Patch(ctx, object, waive)).To(Succeed())
		object.Spec.Plan.Name = other
		Expect(editor.Update(ctx, object)).To(Succeed(), "an edit that leaves it as it was")
	})

	It("cannot be made unnecessary for unknown values by a user who may not set it", func(ctx SpecContext) {
		saying := func(policy v1alpha1.UnknownValues) *v1alpha1.BroadbandService {
			made := service(nil)
			made.Spec.UnknownValues = policy
			return made
		}
		Expect(editor.Create(ctx, saying(v1alpha1.UnknownRequest))).To(And(WithTransform(apierrors.IsForbidden, BeTrue()),
			MatchError(ContainSubstring("spec.unknownValues: Request sends what is unknown without asking, and editor"))))
		Expect(editor.Create(ctx, saying(v1alpha1.UnknownTrust))).To(Succeed(), "what is trusted costs nothing")
		object := saying(v1alpha1.UnknownAsk)
		Expect(editor.Create(ctx, object)).To(Succeed())
		requests := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"unknownValues":"Request"}}`))
		Expect(approver.Patch(ctx, object, requests)).To(Succeed())
		object.Spec.Plan.Name = other
		Expect(editor.Update(ctx, object)).To(Succeed(), "an edit that leaves it as it was")
	})

	It("cannot be set by the operator, which is not hindered by it", func(ctx SpecContext) {
		manager := as(operator)
		object := held(ctx, map[string]string{v1alpha1.AnnotationApprove: approval})
		object.Status.Handled.Approve = approval
		Expect(manager.Status().Update(ctx, object)).To(Succeed())
		Expect(object.Status.Handled.Approve).To(Equal(approval))

		change := map[string]any{v1alpha1.AnnotationApprove: otherApproval}
		Expect(apierrors.IsForbidden(annotate(ctx, manager, object, change))).To(BeTrue())
		object.Annotations[v1alpha1.AnnotationApprove] = otherApproval
		Expect(manager.Status().Update(ctx, object)).To(Succeed())
		Expect(object.Annotations).To(HaveKeyWithValue(v1alpha1.AnnotationApprove, approval), "nor with a status")
		Expect(annotate(ctx, editor, object, retrying(aTime))).To(Succeed())
	})

	It("is guarded on every kind", func(ctx SpecContext) {
		keeper := userWith(ctx, "keeper", "editor", "account-editor")
		kinds := map[string]bool{}
		for _, object := range rendered("samples") {
			if object.GroupVersionKind().Group != v1alpha1.GroupVersion.Group {
				continue // an object that a sample needs
			}
			kinds[object.GetKind()] = true
			object.SetNamespace(team)
			object.SetAnnotations(nil)
			Expect(keeper.Create(ctx, object.DeepCopy(), client.DryRunAll)).To(Succeed())
			for _, annotation := range []string{v1alpha1.AnnotationApprove, v1alpha1.AnnotationResolve} {
				object.SetAnnotations(map[string]string{annotation: "1"})
				err := keeper.Create(ctx, object.DeepCopy(), client.DryRunAll)
				Expect(err).To(MatchError(ContainSubstring("annotation "+annotation)), object.GetKind())
			}
		}
		Expect(kinds).To(HaveLen(8))
	})
})
