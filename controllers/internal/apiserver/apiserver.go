// SPDX-License-Identifier: Apache-2.0

// Package apiserver says what the responses of the Kubernetes API server prove.
package apiserver

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// IsGone reports whether the API server confirmed that no object of that name exists (R2). A 404
// for a kind that is not served, or from something between the operator and the API server,
// confirms nothing. Such a 404 has no Status of the API server: client-go generates a Status and
// marks it with a cause.
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

// MayExist reports whether the object of a read exists, or may exist: only the API server itself
// can confirm that there is none (R2). It returns an error if the read is to be repeated.
func MayExist(err error, name string) (bool, error) {
	switch {
	case IsGone(err, name):
		return false, nil
	case err == nil, IsHidden(err):
		return true, nil
	}
	return false, err
}

// IsHidden reports whether a read failed because this manager may not read the kind, or the API
// server does not serve it.
func IsHidden(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || meta.IsNoMatchError(err)
}

// Empty returns an empty object of the same kind as another, to read into.
func Empty[O runtime.Object](object O) O {
	empty, _ := reflect.TypeAssert[O](reflect.New(reflect.TypeOf(object).Elem())) // of the type of object, so an O
	return empty
}

// Find reads an object; nil if there is none.
func Find[O client.Object](ctx context.Context, from client.Reader, key client.ObjectKey, into O) (found O, err error) {
	switch err = from.Get(ctx, key, into); {
	case apierrors.IsNotFound(err):
		return found, nil
	case err != nil:
		return found, fmt.Errorf("read %s %s: %w", reflect.TypeOf(into).Elem().Name(), key, err)
	}
	return into, nil
}

// Each lists objects, and calls a function with each of them. They may be the cache's own, and must
// not be changed.
func Each[O any](
	ctx context.Context, from client.Reader, list client.ObjectList, visit func(O), options ...client.ListOption,
) error {
	err := from.List(ctx, list, append(options, client.UnsafeDisableDeepCopy)...)
	if err == nil {
		err = meta.EachListItem(list, func(item runtime.Object) error {
			if object, ok := item.(O); ok {
				visit(object)
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("list the objects of a %T: %w", list, err)
	}
	return nil
}

// StrictFields makes the API server refuse fields that it would otherwise drop.
const StrictFields = client.FieldValidation(metav1.FieldValidationStrict)

// ErrNotNewest is the reason for a conflict with a version newer than the one evaluated.
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
