// SPDX-License-Identifier: Apache-2.0

package requests_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The numbers are those of docs/security-cases.md.
var _ = DescribeTable("A 200 that does not answer the request is not accepted",
	func(ctx SpecContext, body string) {
		w, process := fixture.Begin(ctx)
		line := w.Line()
		Expect(w.Create(ctx, w.Service(site, line))).To(Succeed())
		fixture.DriveUntilAccepted(ctx, w, process)
		body = strings.ReplaceAll(body, "{id}", fixture.AcceptedPlanChange(w, line))
		Expect(w.Carrier.FailNext("GET PlanChange", simulator.Fault{
			Kind: simulator.FaultBody, Status: 200, Body: body,
		})).To(Succeed())

		service := process.Drive(ctx, site)

		fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
		Expect(service.Status.Carrier.Plan.Value).To(Equal(world.PlanFast))
		Expect(w.Posts(line)).To(Equal(1))
	},
	Entry("because it is about another service (26)",
		`{"id":{id},"serviceId":1,"status":"COMPLETED","plan":{"plan":"Evil"}}`),
	Entry("because it has another id (26)", `{"id":1,"status":"COMPLETED","plan":{"plan":"Evil"}}`),
	Entry("because it has another id, and reports a failure",
		`{"id":1,"status":"FAILED","plan":{"plan":"Evil"}}`),
	Entry("because it is about another service, and reports a failure",
		`{"id":{id},"serviceId":1,"status":"FAILED","plan":{"plan":"Evil"}}`),
	Entry("because its id is no whole number (27)", `{"id":{id}.5,"plan":{"plan":"Evil"}}`),
	Entry("because it has two ids (28)", `{"id":{id},"id":1,"plan":{"plan":"Evil"}}`),
	Entry("because it is empty (30)", ``),
	Entry("because it is a page", `<html>Evil</html>`),
)
