// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// CallVersion returns the API version with which an account calls an operation: the account's own
// version or, if that lacks the operation and the account is not strict, the lowest that has it.
func CallVersion(account *v1alpha1.CarrierAccount, operation carrier.Operation) int {
	version := int(account.Spec.APIVersion)
	contract, known := carrier.ContractOf(operation)
	if !known || account.Spec.FamilyVersions == v1alpha1.FamilyVersionsStrict {
		return version
	}
	return contract.LeastVersion(version)
}

func apiVersionOf(account *v1alpha1.CarrierAccount, operation v1alpha1.Operation) int32 {
	return int32(CallVersion(account, carrier.Operation(operation))) //nolint:gosec // it is between 1 and 8
}

// CheckSupported returns an error if an operation does not exist in the version with which the
// account calls it.
func CheckSupported(in *Input, operation carrier.Operation) error {
	contract, _ := carrier.ContractOf(operation)
	if in.Account.Object == nil {
		return nil
	}
	return contract.SupportedAt(CallVersion(in.Account.Object, operation))
}

// RaiseVersion is the advice about an operation that a strict account's version does not have.
const RaiseVersion = "raise spec.apiVersion of the CarrierAccount, or set its spec.familyVersions to Least"

// ReadVersion returns the API version with which an account reads a topic, as [CallVersion] does.
func ReadVersion(account *v1alpha1.CarrierAccount, topic Topic) int {
	switch {
	case topic != TopicService:
		return CallVersion(account, topic.Operation())
	case account.Spec.FamilyVersions == v1alpha1.FamilyVersionsStrict:
		return int(account.Spec.APIVersion)
	}
	return carrier.ServiceReadContract().LeastVersion(int(account.Spec.APIVersion))
}

func serviceReadSupported(account *v1alpha1.CarrierAccount) error {
	return carrier.ServiceReadContract().SupportedAt(ReadVersion(account, TopicService))
}

// MayReadService reports whether an account reads its services: it has the extension, and the
// carrier has not refused it.
func MayReadService(account *Account) bool {
	if account.Object == nil || !account.Object.Extends(v1alpha1.ExtensionServiceRead) {
		return false
	}
	return serviceReadSupported(account.Object) == nil && account.Extensions[v1alpha1.ExtensionServiceRead] == nil
}

// ServiceReadRefused returns the error with which the carrier refused to describe a service that
// its other reads show; nil if there is none. A 403 or 404 alone may be about the service itself:
// only the read of the cancellation shows whether the account may see the service.
func ServiceReadRefused(readings *Readings) error {
	refused := readings.Service.State == ReadingFailed &&
		carrier.ClassOf(readings.Service.Err) == carrier.NotFoundOrForbidden
	if !refused || !readings.Cancellation.Answered() {
		return nil
	}
	return readings.Service.Err
}

// ExtensionsAspect reports whether the carrier has the extensions of an account. Only extensions
// that were used are known; nil if none was used.
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
		return new(NewAspect(v1alpha1.ConditionExtensions, metav1.ConditionTrue, v1alpha1.ReasonAnswering,
			"the carrier has every extension that was used"))
	}
	return new(NewAspect(v1alpha1.ConditionExtensions, metav1.ConditionFalse, v1alpha1.ReasonExtensionUnavailable,
		Bounded("not available: "+strings.Join(refused, ", ")+": the operator works as if it were not listed; if the "+
			"carrier does not have it, remove it from spec.extensions", MaxMessage)))
}

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
