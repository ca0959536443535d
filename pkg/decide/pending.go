// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// pendingOf is the plan of changes, in Terraform's sense. While a request runs it
// is the plan that the request carries out, even when the spec has moved on.
func pendingOf(v *View, wanted []wish) *v1alpha1.Pending {
	if v.Service.OpenRequest() != nil {
		return v.Service.Status.Pending
	}
	observed := v.Service.Spec.ManagementPolicy == v1alpha1.ManagementObserve
	if len(wanted) == 0 || v.Service.Spec.ServiceID == nil || observed {
		return nil
	}
	return &v1alpha1.Pending{Hash: pendingHash(v, wanted), Changes: differences(wanted)}
}

// pendingHash binds the object, its last attempts, the bodies and the carrier's
// values: "never the same twice", so that an old approval never fits.
func pendingHash(v *View, wanted []wish) string {
	facts := make([]any, 0, 1+3*len(wanted))
	facts = append(facts, v.Service.UID)
	for _, w := range wanted {
		last := ""
		if request := v.Service.RequestOf(w.operation); request != nil {
			last = request.AttemptID
		}
		facts = append(facts, last, w.bodyHash(v), w.changes)
	}
	text, err := json.Marshal(facts)
	if err != nil {
		panic("decide: strings and structs of strings always marshal: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return "p" + hex.EncodeToString(sum[:8])
}

// bodyHash is over the body without contact data: a phone number has too few
// digits to be hidden by a hash.
func (w wish) bodyHash(v *View) string {
	sum := sha256.Sum256(Body(*v.Service.Spec.ServiceID, w.target, v1alpha1.Contact{}))
	return "sha256:" + hex.EncodeToString(sum[:])
}
