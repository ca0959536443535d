// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Argo CD calls a kind without a script healthy as soon as it exists.
func TestEveryKindHasItsScripts(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for name, of := range scheme.KnownTypes(v1alpha1.GroupVersion) {
		ours := strings.HasSuffix(of.PkgPath(), "/api/v1alpha1") && !strings.HasSuffix(name, "List")
		written := slices.ContainsFunc(kinds(), func(kind kind) bool { return kind.name == name })
		if ours && !written {
			t.Errorf("%s is not among the kinds", name)
		}
	}
}
