// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// replace deletes a one-shot and creates it again for another service, as kubectl replace --force
// does.
func replace(ctx context.Context, w *world.World, s fixture.OneShot, line int64) {
	GinkgoHelper()
	Expect(w.Delete(ctx, s.Read(ctx, w))).To(Succeed())
	Expect(w.Create(ctx, s.Build(w, line))).To(Succeed())
}

// expectAbout expects the request of a one-shot to be one that the carrier accepted for a service.
func expectAbout(ctx context.Context, w *world.World, s fixture.OneShot, line int64) {
	GinkgoHelper()
	accepted := map[string]int64{}
	for _, call := range w.Carrier.Calls() {
		if call.Operation == s.Operation && call.Accepted {
			accepted[call.RequestID] = call.ServiceID
		}
	}
	request := s.Request(ctx, w)
	handle, err := carrier.ParseLocation(carrier.Operation(request.Operation), int(request.APIVersion), request.Location)
	Expect(err).NotTo(HaveOccurred())
	Expect(accepted).To(HaveKeyWithValue(handle.ID, line))
	Expect(s.Posts(w)).To(Equal(2))
}

var _ = DescribeTable("A query of another service, created under the same name",
	func(ctx SpecContext, s fixture.OneShot) {
		By("replacing it while the request of the former one is being sent")
		contract, _ := carrier.ContractOf(carrier.Operation(s.Operation))
		w, process := fixture.Begin(ctx)
		former, line := w.Line(), w.Line()
		Expect(w.Create(ctx, s.Build(w, former))).To(Succeed())
		w.DuringPOST(contract.SubmitPath, func() { replace(ctx, w, s, line) })
		s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		expectAbout(ctx, w, s, line)

		By("replacing it while the response to a poll of the former one is being recorded")
		w, process = fixture.Begin(ctx)
		former, line = w.Line(), w.Line()
		Expect(w.Create(ctx, s.Build(w, former))).To(Succeed())
		replaced := false
		process.Seam.Fault = func(effect world.Effect) error {
			if polls(w, s.Operation) > 0 && effect.What == "update status of "+fixture.Once && !replaced {
				replaced = true
				replace(ctx, w, s, line)
			}
			return nil
		}
		s.Drive(ctx, w, process, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		Expect(replaced).To(BeTrue())
		expectAbout(ctx, w, s, line)
	},
	Entry("is a HealthCheck of its own", fixture.Checks()),
	Entry("is a PlanOptionsQuery of its own", fixture.Queries()),
)
