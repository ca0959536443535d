// SPDX-License-Identifier: Apache-2.0

package world

import (
	"strings"
	"testing"

	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The pages quote these objects, so the replacement of an address must be true of the address: a
// message about http must not quote an https address. There is one marker.
func TestASavedObjectSaysWhatTheOperatorWrote(t *testing.T) {
	gomega.RegisterTestingT(t)
	w := &World{URL: "http://127.0.0.1:4711", Namespace: "ns-1", ClientName: "client-1"}
	object := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
		"message": `"http://127.0.0.1:4711/token": https is required; marker-of-ns-1, in ns-1, at http://localhost:4712`,
	}}}
	const want = `"http://carrier.example/token": https is required; marker, in sites, at http://127.0.0.1:10001`
	if got := w.normalized(object); !strings.Contains(strings.Join(strings.Fields(got), " "), want) { // it is wrapped
		t.Error(got)
	}
}
