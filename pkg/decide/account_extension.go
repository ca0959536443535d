// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// ExtensionsAspect reports whether the carrier has those extensions of an account that have been
// used; nil if none has been used. An extension that the account's version does not have cannot be
// used.
func ExtensionsAspect(account *v1alpha1.CarrierAccount, known Extensions) *Aspect {
	known = ofAccount(account, known)
	if len(known) == 0 {
		return nil
	}
	var refused []string
	for _, extension := range slices.Sorted(maps.Keys(known)) {
		if err := known[extension]; err != nil {
			refused = append(refused, fmt.Sprintf("%s (%s)", extension, ErrorText(err)))
		}
	}
	if len(refused) == 0 {
		return &Aspect{
			Type: v1alpha1.ConditionExtensions, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAnswering,
			Message: "the carrier has every extension that was used",
		}
	}
	return &Aspect{
		Type: v1alpha1.ConditionExtensions, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonExtensionUnavailable,
		Message: Bounded("not available: "+strings.Join(refused, ", ")+
			": the operator works as if it were not listed; if the carrier does not have it, remove it from spec.extensions",
			MaxMessage),
	}
}

// ofAccount returns what is known about the extensions that an account has switched on.
func ofAccount(account *v1alpha1.CarrierAccount, known Extensions) Extensions {
	used := make(Extensions)
	for _, extension := range account.Spec.Extensions {
		if refusal, isKnown := known[extension]; isKnown {
			used[extension] = refusal
		}
	}
	if account.Extends(v1alpha1.ExtensionServiceRead) {
		if err := serviceReadSupported(account); err != nil {
			used[v1alpha1.ExtensionServiceRead] = err
		}
	}
	return used
}
