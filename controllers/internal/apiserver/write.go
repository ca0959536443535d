// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// StrictFields makes the API server refuse fields that it would otherwise drop.
const StrictFields = client.FieldValidation(metav1.FieldValidationStrict)

// ErrNotNewest is why something that was evaluated as it no longer is conflicts.
var ErrNotNewest = errors.New("there is a newer version than the one that was evaluated")

// Conflict returns the conflict that the API server would return for an object of a resource of ours.
func Conflict(resource, name string, why error) error {
	group := schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: resource}
	return apierrors.NewConflict(group, name, why) //nolint:wrapcheck // created here
}

// DropsFields reports whether the API server refused a write because it would have dropped fields.
func DropsFields(err error) bool {
	return apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "strict decoding error")
}
