// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"encoding/json"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// The API server and the operator judge an address alike. If the API server accepted a second
// spelling of an origin, one login could be two, and could order twice.
func TestTheOperatorJudgesEachBaseURLAsTheAPIServer(t *testing.T) {
	t.Parallel()
	corpus := read("carrieraccount.yaml")
	judged := 0
	judge := func(name string, patch json.RawMessage, accepted bool) {
		address, has := baseURL(t, patch)
		if !has {
			return
		}
		judged++
		if canonical := carrier.CanonicalOrigin(address); (canonical != "" && canonical == address) != accepted {
			t.Errorf("%s: the API server accepts %q: %t, and its canonical form is %q", name, address, accepted, canonical)
		}
	}
	judge("the base", corpus.Base, true)
	for _, one := range corpus.Accepted {
		judge(one.Name, one.Patch, true)
	}
	for _, one := range corpus.Cases {
		if one.From == nil { // an edit is refused whatever the new address is
			judge(one.Name, one.Patch, false)
		}
	}
	if judged < 2 {
		t.Error("the corpus has no addresses")
	}
}

// baseURL returns the address that a manifest or patch sets.
func baseURL(t *testing.T, patch json.RawMessage) (address string, has bool) {
	t.Helper()
	var manifest struct {
		Spec struct {
			BaseURL *string `json:"baseURL"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(patch, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Spec.BaseURL == nil {
		return "", false
	}
	return *manifest.Spec.BaseURL, true
}
