// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// horizon is a wait in which a request that can end has ended.
const horizon = 2 * time.Hour

// expectSound checks what must hold of every status, whatever the story: the rules of
// kstatus, and that a status is bounded.
func expectSound(service *v1alpha1.BroadbandService) {
	GinkgoHelper()
	conditions := service.Status.Conditions
	ready := world.Condition(conditions, v1alpha1.ConditionReady)
	reconciling := world.Condition(conditions, v1alpha1.ConditionReconciling).Status == metav1.ConditionTrue
	stalled := world.Condition(conditions, v1alpha1.ConditionStalled).Status == metav1.ConditionTrue
	Expect(ready.Type).To(Equal(v1alpha1.ConditionReady), "Ready is always present")
	Expect(reconciling && stalled).To(BeFalse(), "Reconciling and Stalled exclude each other")
	if ready.Status == metav1.ConditionTrue {
		Expect(reconciling || stalled).To(BeFalse(), "Ready excludes Reconciling and Stalled")
	}
	Expect(service.Status.ObservedGeneration).To(BeNumerically("<=", service.Generation))
	for _, condition := range conditions {
		Expect(condition.ObservedGeneration).To(Equal(service.Status.ObservedGeneration), condition.Type)
		Expect(condition.Message).NotTo(BeEmpty(), condition.Type)
	}
	written, err := json.Marshal(service.Status)
	Expect(err).NotTo(HaveOccurred())
	Expect(len(written)).To(BeNumerically("<=", 32<<10))
}
