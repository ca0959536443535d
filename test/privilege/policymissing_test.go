// SPDX-License-Identifier: Apache-2.0

package privilege_test

import (
	"context"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// unguarded is a world in which the binding of the approval policy is removed while a service waits
// for an approval.
type unguarded struct {
	*world.World

	line             int64
	editor, approver client.Client
}

const site = "site"

// beginUnguarded starts the operator with its own user, and drives a service until it waits.
func beginUnguarded(ctx context.Context) (*unguarded, *world.Process) {
	GinkgoHelper()
	guarded, err := plane.CachedFor(ctx, as(operator))
	Expect(err).NotTo(HaveOccurred())
	w := &unguarded{World: world.New(ctx, guarded)}
	w.editor, w.approver = w.user(ctx, "editor"), w.user(ctx, "approver")
	w.line = w.Line()
	w.Login(ctx)
	process := w.start(ctx)
	Expect(w.Create(ctx, w.Service(site, w.line, func(s *v1alpha1.BroadbandService) {
		s.Spec.Approval = v1alpha1.ApprovalOnCost
	}))).To(Succeed())
	w.expect(ctx, process, v1alpha1.ReasonAwaitingApproval)
	return w, process
}

// user returns a client for a user with one of the roles in the world's namespace.
func (w *unguarded) user(ctx context.Context, role string) client.Client {
	GinkgoHelper()
	name := role + "-of-" + w.Namespace
	Expect(plane.Client.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "broadband-operator-" + role},
	})).To(Succeed())
	return as(name)
}

// start starts a process that checks the policies as the manager does.
func (w *unguarded) start(ctx context.Context) *world.Process {
	GinkgoHelper()
	shipped, err := admission.Shipped(world.OperatorName)
	Expect(err).NotTo(HaveOccurred())
	process := w.Start(world.CrashPoint{}, func(o *controllers.Options) { o.Policies = shipped })
	_, err = process.ReconcileAccount(ctx)
	Expect(err).NotTo(HaveOccurred())
	return process
}

// expect drives the service, expects a reason of Ready, and that nothing was sent.
func (w *unguarded) expect(ctx context.Context, process *world.Process, reason string) {
	GinkgoHelper()
	ready := world.Ready(process.Drive(ctx, site))
	Expect(ready.Reason).To(Equal(reason), ready.Message)
	Expect(w.Posts(w.line)).To(BeZero())
}

// hash returns what has to be approved.
func (w *unguarded) hash(ctx context.Context) string {
	GinkgoHelper()
	pending := w.Read(ctx, site).Status.Pending
	Expect(pending).NotTo(BeNil())
	return pending.Hash
}

// approve sets the annotation as a user.
func (w *unguarded) approve(ctx context.Context, user client.Client, hash string) error {
	if err := annotate(ctx, user, w.Read(ctx, site), map[string]any{v1alpha1.AnnotationApprove: hash}); err != nil {
		return err
	}
	Eventually(func() string { return w.Read(ctx, site).Annotations[v1alpha1.AnnotationApprove] }).
		WithTimeout(time.Minute).Should(Equal(hash), "in the cache of the operator")
	return nil
}

// unbind removes the binding, and waits until the editor may approve.
func (w *unguarded) unbind(ctx context.Context) {
	GinkgoHelper()
	DeferCleanup(install)
	Expect(plane.Client.Delete(ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: admission.Approval},
	})).To(Succeed())
	Eventually(func() error { return w.approve(ctx, w.editor, w.hash(ctx)) }).WithTimeout(time.Minute).Should(Succeed())
}

// bind restores the binding, and waits until the editor may no longer approve.
func (w *unguarded) bind(ctx context.Context) {
	GinkgoHelper()
	install()
	change := client.RawPatch(types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, v1alpha1.AnnotationApprove, otherApproval))
	Eventually(func() error {
		return w.editor.Patch(ctx, w.Read(ctx, site), change, client.DryRunAll) // the approval that was set stays
	}).WithTimeout(time.Minute).ShouldNot(Succeed())
}

var _ = Describe("An approval that is set while its policy is missing", func() {
	It("spends nothing, neither then nor after the policy is restored", func(ctx SpecContext) {
		w, process := beginUnguarded(ctx)
		shown := w.hash(ctx)
		w.unbind(ctx)
		w.expect(ctx, process, v1alpha1.ReasonPolicyMissing)
		Expect(world.Ready(w.Read(ctx, site)).Message).To(ContainSubstring(
			"ValidatingAdmissionPolicyBinding broadband-operator-approval is not installed"))
		w.bind(ctx)
		Expect(process.CheckPolicies(ctx)).To(Succeed())
		w.expect(ctx, process, v1alpha1.ReasonAwaitingApproval)
		Expect(w.hash(ctx)).NotTo(Equal(shown))
		Expect(w.approve(ctx, w.approver, w.hash(ctx))).To(Succeed())
		ready := world.Ready(process.Drive(ctx, site))
		Expect(ready.Reason).To(Equal(v1alpha1.ReasonInSync), ready.Message)
		Expect(w.Posts(w.line)).To(Equal(1))
	})

	It("spends nothing if the policy is restored before any check", func(ctx SpecContext) {
		w, process := beginUnguarded(ctx)
		w.unbind(ctx)
		w.bind(ctx)
		w.expect(ctx, process, v1alpha1.ReasonAwaitingApproval)
	})

	It("spends nothing if no manager ran in between", func(ctx SpecContext) {
		w, _ := beginUnguarded(ctx)
		w.unbind(ctx)
		w.bind(ctx)
		w.expect(ctx, w.start(ctx), v1alpha1.ReasonAwaitingApproval)
	})

	It("spends nothing by a manager that starts before the policy is restored", func(ctx SpecContext) {
		w, _ := beginUnguarded(ctx)
		w.unbind(ctx)
		w.expect(ctx, w.start(ctx), v1alpha1.ReasonPolicyMissing)
		w.bind(ctx)
		w.expect(ctx, w.start(ctx), v1alpha1.ReasonAwaitingApproval)
	})
})
