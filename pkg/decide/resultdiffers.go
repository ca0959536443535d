// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Stated is a value that a request asks for, and the value in the carrier's result. Either is empty if
// the request or the result does not have it.
type Stated struct{ What, Asked, Shown string }

// Differs reports whether the result has another value than the request asks for.
func (s Stated) Differs() bool {
	return s.Asked != "" && s.Shown != "" && !SameName(s.Shown, s.Asked)
}

// CompareResult records which values of the carrier's result are not those that the request asks for,
// and reports whether there are any. The request has succeeded all the same: the carrier says so, and
// may charge for it.
func CompareResult(request *v1alpha1.Request, values []Stated) bool {
	var differing []string
	for _, value := range values {
		if value.Differs() {
			differing = append(differing, fmt.Sprintf("%s %q instead of %q",
				value.What, Bounded(value.Shown, MaxNameText), Bounded(value.Asked, MaxNameText)))
		}
	}
	if len(differing) > 0 {
		request.Error = &v1alpha1.RequestError{
			Code:    v1alpha1.ReasonResultDiffers,
			Message: Bounded("the carrier's result shows "+strings.Join(differing, ", "), MaxMessage),
		}
	}
	return len(differing) > 0
}

// ResultDiffers reports whether a request has succeeded with another value than it asked for. It is
// not sent again before a person has decided, not even for a newer spec or to correct drift.
func ResultDiffers(request *v1alpha1.Request) bool {
	return request != nil && request.Phase == v1alpha1.PhaseSucceeded && request.Error != nil &&
		request.Error.Code == v1alpha1.ReasonResultDiffers
}
