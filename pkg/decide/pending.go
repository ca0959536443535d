// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// pendingOf is the plan of changes, in Terraform's sense. While a request runs it
// is the plan that the request carries out, even when the spec has moved on.
func pendingOf(v *View, w wish) *v1alpha1.Pending {
	if v.Service.OpenRequest() != nil {
		return v.Service.Status.Pending
	}
	if !w.wanted() || v.Service.Spec.ServiceID == nil || v.Service.Spec.ManagementPolicy == v1alpha1.ManagementObserve {
		return nil
	}
	return &v1alpha1.Pending{Hash: pendingHash(v, w), Changes: w.changes}
}

// pendingHash binds the object, its last finished attempt, the body and the
// carrier's values: "never the same twice", so that an old approval never fits.
func pendingHash(v *View, w wish) string {
	last := ""
	if request := v.Service.RequestOf(v1alpha1.OperationPlanChange); request != nil {
		last = request.AttemptID
	}
	facts, err := json.Marshal([]any{v.Service.UID, last, bodyHash(w.request(v)), w.changes})
	if err != nil {
		panic("decide: strings and structs of strings always marshal: " + err.Error())
	}
	sum := sha256.Sum256(facts)
	return "p" + hex.EncodeToString(sum[:8])
}

// bodyHash is over the body without contact data: a phone number has too few
// digits to be hidden by a hash.
func bodyHash(request carrier.PlanChangeRequest) string {
	sum := sha256.Sum256(request.Body())
	return "sha256:" + hex.EncodeToString(sum[:])
}
