// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IsGone says whether an API server has said that there is no object of that name: "Forbidden, a kind
// that is not served, or an error is not 'gone'" (R2). The 404 of a kind that is not served, or of
// something on the way to the API server, is not in its words: client-go words it, and says so.
func IsGone(err error, name string) bool {
	answer, is := errors.AsType[*apierrors.StatusError](err)
	if !is || !apierrors.IsNotFound(answer) {
		return false
	}
	details := answer.ErrStatus.Details
	return details != nil && details.Name == name && !slices.ContainsFunc(details.Causes, isUnexpected)
}

func isUnexpected(cause metav1.StatusCause) bool {
	return cause.Type == metav1.CauseTypeUnexpectedServerResponse
}
