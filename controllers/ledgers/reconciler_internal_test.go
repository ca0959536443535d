// SPDX-License-Identifier: Apache-2.0

package ledgers

import (
	"errors"
	"net/http"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
