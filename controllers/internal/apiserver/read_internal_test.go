// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestR2OnlyAMissingObjectIsGone(t *testing.T) {
	t.Parallel()
	services := schema.GroupResource{Group: "wholesale.broadband", Resource: "broadbandservices"}
	notFound := apierrors.NewNotFound(services, "site")
	nameless := apierrors.NewNotFound(services, "site")
	nameless.ErrStatus.Details = nil
	for scenario, test := range map[string]struct {
		err  error
		gone bool
	}{
		"it is missing":                         {notFound, true},
		"a wrapped 404":                         {fmt.Errorf("read it: %w", notFound), true},
		"it exists":                             {nil, false},
		"another object is missing":             {apierrors.NewNotFound(services, "default"), false},
		"a 404 without details":                 {nameless, false},
		"a 404 that is not from the API server": {unserved(services, "get", "404 page not found"), false},
		"it may not be read":                    {apierrors.NewForbidden(services, "site", errors.New("no")), false},
		"the kind is unknown":                   {&meta.NoKindMatchError{}, false},
		"the API server is unavailable":         {errors.New("connection refused"), false},
	} {
		if gone := IsGone(test.err, "site"); gone != test.gone {
			t.Errorf("%s: gone is %t (%v)", scenario, gone, test.err)
		}
	}
}

// unserved is the error that client-go returns for a 404 whose text is not the API server's.
func unserved(of schema.GroupResource, verb, body string) error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, verb, of, "site", body, 0, true)
}

// A service's pass and a ledger that is being deleted judge the holder alike. A token that the API
// server refuses for a moment once meant that the object of a deleted ledger existed, and that was
// never rechecked.
func TestR2AnObjectThatIsHiddenMayExist(t *testing.T) {
	t.Parallel()
	services := schema.GroupResource{Group: "wholesale.broadband", Resource: "broadbandservices"}
	for name, test := range map[string]struct {
		err            error
		exists, failed bool
	}{
		"it exists":                 {nil, true, false},
		"it is missing":             {apierrors.NewNotFound(services, "site"), false, false},
		"another object is missing": {apierrors.NewNotFound(services, "default"), true, false},
		"its kind is not served": {
			apierrors.NewGenericServerResponse(http.StatusNotFound, "get", services, "site", "404 page not found", 0, true),
			true, false,
		},
		"its kind is unknown":           {&meta.NoKindMatchError{}, true, false},
		"it may not be read":            {apierrors.NewForbidden(services, "site", errors.New("no")), true, false},
		"the token is refused":          {apierrors.NewUnauthorized("expired"), false, true},
		"the API server is unavailable": {errors.New("connection refused"), false, true},
	} {
		exists, err := MayExist(test.err, "site")
		if exists != test.exists || (err != nil) != test.failed {
			t.Errorf("%s: exists %t, %v", name, exists, err)
		}
	}
}
