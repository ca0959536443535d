// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"errors"
	"net/http"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
		exists, err := mayExist(test.err, "site")
		if exists != test.exists || (err != nil) != test.failed {
			t.Errorf("%s: exists %t, %v", name, exists, err)
		}
	}
}

// No watch shows the deletion of an object that is hidden. A ledger once waited an hour for one,
// although a page promised minutes.
func TestAHiddenHolderIsLookedForAgainSoon(t *testing.T) {
	t.Parallel()
	services, at := schema.GroupResource{Resource: "broadbandservices"}, client.ObjectKey{Namespace: "sites", Name: "site"}
	for name, test := range map[string]struct {
		err   error
		again time.Duration
	}{
		"it exists": {nil, keptAgain},
		"its kind is not served": {
			apierrors.NewGenericServerResponse(http.StatusNotFound, "get", services, "site", "404", 0, true), hiddenAgain,
		},
		"it may not be read": {apierrors.NewForbidden(services, "site", errors.New("no")), hiddenAgain},
		"it is missing":      {apierrors.NewNotFound(services, "site"), 0},
	} {
		kept, err := keptBy("BroadbandService", at, test.err)
		if err != nil || kept.again != test.again || (kept.why == "") != (test.again == 0) {
			t.Errorf("%s: %+v, %v", name, kept, err)
		}
	}
}
