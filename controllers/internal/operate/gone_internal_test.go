// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestR2OnlyAnObjectThatIsNotThereIsGone(t *testing.T) {
	t.Parallel()
	services := schema.GroupResource{Group: "wholesale.broadband", Resource: "broadbandservices"}
	notFound := apierrors.NewNotFound(services, "site")
	nameless := apierrors.NewNotFound(services, "site")
	nameless.ErrStatus.Details = nil
	for story, test := range map[string]struct {
		err  error
		gone bool
	}{
		"it is not there":               {notFound, true},
		"the same, told on":             {fmt.Errorf("read it: %w", notFound), true},
		"it is there":                   {nil, false},
		"another is not there":          {apierrors.NewNotFound(services, "default"), false},
		"a 404 without details":         {nameless, false},
		"a 404 that no API server says": {unserved(services, "get", "404 page not found"), false},
		"it may not be read":            {apierrors.NewForbidden(services, "site", errors.New("no")), false},
		"the kind is not known":         {&meta.NoKindMatchError{}, false},
		"the API server is away":        {errors.New("connection refused"), false},
	} {
		if gone := IsGone(test.err, "site"); gone != test.gone {
			t.Errorf("%s: gone is %t (%v)", story, gone, test.err)
		}
	}
}

// unserved is the error that client-go returns for a 404 whose text is not the API server's.
func unserved(of schema.GroupResource, verb, said string) error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, verb, of, "site", said, 0, true)
}
