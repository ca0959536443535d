// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// HandleOf returns the handle of a recorded request, or an error if the carrier has given it none.
func HandleOf(request *v1alpha1.Request) (carrier.Handle, error) {
	return carrier.ParseLocation(carrier.Operation(request.Operation), int(request.APIVersion), request.Location)
}

// MayBeResultOf reports whether a result with this id can be that of a request. A result with
// another id cannot. A result without an id (0) can, because fields may be missing.
func MayBeResultOf(request *v1alpha1.Request, id int64) bool {
	handle, err := HandleOf(request)
	return id == 0 || err == nil && handle.HasID(id)
}
