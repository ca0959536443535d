// SPDX-License-Identifier: Apache-2.0

package services_test

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Every pass of every test is checked against the rules of world.Violations. This test shows that each
// rule can fail.
var _ = DescribeTable("An invalid status fails every test",
	func(spoil fixture.Edit, rules ...string) {
		service := &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
		service.Status = v1alpha1.BroadbandServiceStatus{
			ObservedGeneration: 2,
			Conditions: []metav1.Condition{
				conditionOf(v1alpha1.ConditionReady, metav1.ConditionFalse),
				conditionOf(v1alpha1.ConditionReconciling, metav1.ConditionTrue),
			},
			InFlight: &v1alpha1.InFlight{Operation: v1alpha1.OperationPlanChange},
			Requests: []v1alpha1.Request{{Operation: v1alpha1.OperationPlanChange, Phase: v1alpha1.PhaseInProgress}},
		}
		Expect(violations(service)).To(BeEmpty())
		spoil(service)
		Expect(violations(service)).To(ConsistOf(rules))
	},
	Entry("lacks Ready", func(s *v1alpha1.BroadbandService) { s.Status.Conditions = s.Status.Conditions[1:] },
		"Ready exists once a generation is observed, and not before"),
	Entry("is ahead of the object", func(s *v1alpha1.BroadbandService) { s.Generation = 1 },
		"observedGeneration is never ahead of generation"),
	Entry("is Ready and Reconciling", func(s *v1alpha1.BroadbandService) {
		s.Status.Conditions[0].Status = metav1.ConditionTrue
	}, "Ready excludes Reconciling"),
	Entry("is Ready and Stalled", func(s *v1alpha1.BroadbandService) {
		s.Status.Conditions[0].Status = metav1.ConditionTrue
		s.Status.Conditions[1].Type = v1alpha1.ConditionStalled
	}, "Ready excludes Stalled"),
	Entry("is Reconciling and Stalled", func(s *v1alpha1.BroadbandService) {
		s.Status.Conditions = append(s.Status.Conditions, conditionOf(v1alpha1.ConditionStalled, metav1.ConditionTrue))
	}, "Reconciling and Stalled exclude each other",
		"kstatus reports Failed for an object that is stalled, not InProgress"),
	Entry("keeps Reconciling", func(s *v1alpha1.BroadbandService) {
		s.Status.Conditions[1].Status = metav1.ConditionFalse
	}, "Reconciling exists only while it is True"),
	Entry("keeps Stalled", func(s *v1alpha1.BroadbandService) {
		s.Status.Conditions = append(s.Status.Conditions, conditionOf(v1alpha1.ConditionStalled, metav1.ConditionFalse))
	}, "Stalled exists only while it is True"),
	Entry("has an empty condition", func(s *v1alpha1.BroadbandService) {
		s.Status.Conditions[1] = metav1.Condition{Type: v1alpha1.ConditionReconciling, Status: metav1.ConditionTrue}
	}, "Reconciling has a reason", "Reconciling has a message", "Reconciling has a lastTransitionTime",
		"Reconciling is of the status' generation"),
	Entry("has two modifications in progress", func(s *v1alpha1.BroadbandService) {
		s.PutRequest(v1alpha1.Request{Operation: v1alpha1.OperationReclaim, Phase: v1alpha1.PhaseOutcomeUnknown})
	}, "at most one request that modifies the service has not ended"),
	Entry("shows an ended request as in progress", func(s *v1alpha1.BroadbandService) {
		s.Status.Requests[0].Phase = v1alpha1.PhaseSucceeded
	}, "inFlight names a request that has not ended"),
	Entry("holds a secret", func(s *v1alpha1.BroadbandService) {
		s.Status.Conditions[1].Message = "the token " + canary + " was refused"
	}, "no key, token or assertion is in a status"),
	Entry("is too large", func(s *v1alpha1.BroadbandService) {
		s.Status.Conditions[1].Message = strings.Repeat("x", 32<<10)
	}, "a status has at most 32768 bytes"),
)

const canary = "a-secret"

func conditionOf(conditionType string, status metav1.ConditionStatus) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: status, Reason: v1alpha1.ReasonProgressing, Message: "being read",
		ObservedGeneration: 2, LastTransitionTime: metav1.Now(),
	}
}

func violations(service *v1alpha1.BroadbandService) []string {
	GinkgoHelper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(service)
	Expect(err).NotTo(HaveOccurred())
	return world.Violations(&unstructured.Unstructured{Object: content}, []string{canary})
}
