// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

func TestR8AnApprovalOfAnOrderIsForItsGeneration(t *testing.T) {
	t.Parallel()
	in := Input{Order: &v1alpha1.ServiceOrder{}}
	in.Order.Spec.CustomerReference, in.Order.Spec.PlanName, in.Order.Spec.Term = "order-1", "Home 100/20", 12
	in.Subject = in.Order
	first := pendingOf(&in)
	in.Order.Generation++
	if pendingOf(&in).Hash == first.Hash {
		t.Error("an approval fits another generation")
	}
	in.Order.Generation, in.Order.UID = in.Order.Generation-1, "of the order that was created again"
	if pendingOf(&in).Hash == first.Hash {
		t.Error("an approval fits another order")
	}
	if !slices.ContainsFunc(first.Changes, func(c v1alpha1.Change) bool {
		return c.Field == "planName" && c.To == "Home 100/20"
	}) {
		t.Errorf("what is approved does not say what is bought: %v", first.Changes)
	}
}
