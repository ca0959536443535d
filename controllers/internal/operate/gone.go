// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ErrGone is the error for an outcome that cannot be recorded, because its object no longer exists.
var ErrGone = errors.New("the object was deleted, or replaced by another one of the same name")

// IsGone reports whether the API server confirmed that no object of that name exists (R2). A 404
// for a kind that is not served, or from something between the operator and the API server,
// confirms nothing. It has no Status of the API server: client-go generates one and marks it with a
// cause.
func IsGone(err error, name string) bool {
	notFound, is := errors.AsType[*apierrors.StatusError](err)
	if !is || !apierrors.IsNotFound(notFound) {
		return false
	}
	details := notFound.ErrStatus.Details
	return details != nil && details.Name == name && !slices.ContainsFunc(details.Causes, isUnexpected)
}

func isUnexpected(cause metav1.StatusCause) bool {
	return cause.Type == metav1.CauseTypeUnexpectedServerResponse
}
