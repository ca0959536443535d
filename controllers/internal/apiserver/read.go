// SPDX-License-Identifier: Apache-2.0

// Package apiserver says what the responses of the Kubernetes API server prove.
package apiserver

import (
	"errors"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

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

// MayExist reports whether the object of a read exists, or may exist: only the API server's own
// answer that there is none counts (R2). It returns an error if the read is to be repeated.
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
