// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// conflictAt makes each effect whose name starts like this fail with a conflict.
func conflictAt(effect string) func(world.Effect) error {
	return func(at world.Effect) error {
		if strings.HasPrefix(at.What, effect) {
			return apierrors.NewConflict(schema.GroupResource{}, effect, nil)
		}
		return nil
	}
}

// controller-runtime logs each returned error at level Error.
var _ = Describe("A conflict, which only means that there is a newer version, is no error", func() {
	It("when the status of an account is written", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		w.Login(ctx)
		process := w.Start(world.CrashPoint{})
		process.Seam.Fault = conflictAt("update status of " + world.AccountName)

		result, err := process.ReconcileAccount(ctx)

		Expect(err).NotTo(HaveOccurred())
		Expect(result.RequeueAfter).To(Equal(decide.CacheLag))
		process.Seam.Fault = nil
		Expect(process.ReconcileAccount(ctx)).Error().NotTo(HaveOccurred())
		Expect(fixture.AccountReady(ctx, w).Status).To(Equal(metav1.ConditionTrue))
	})

	It("when a deleted ledger is released", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		name := process.Drive(ctx, site).Status.Ledger.Name
		l := deletedLedger{w, name}
		l.annotate(ctx, name)
		Expect(w.Delete(ctx, w.Read(ctx, site))).To(Succeed())
		Expect(w.Delete(ctx, l.ledger(ctx))).To(Succeed())
		process.Seam.Fault = conflictAt("update " + name)

		Expect(process.ReconcileLedger(ctx, name)).To(Succeed())

		Expect(l.ledger(ctx).Finalizers).To(ContainElement(v1alpha1.FinalizerMemory))
		process.Seam.Fault = nil
		Expect(process.ReconcileLedger(ctx, name)).To(Succeed())
		Expect(l.ledger(ctx)).To(BeNil())
	})
})
