// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// StrictFields makes the API server refuse fields that it would otherwise drop.
const StrictFields = client.FieldValidation(metav1.FieldValidationStrict)

// DropsFields reports whether the API server refused a write because it would have dropped fields.
func DropsFields(err error) bool {
	return apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "strict decoding error")
}
