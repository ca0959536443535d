// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/gomega"
)

// Argo CD treats an object of a kind without a script as healthy as soon as it exists.
// RequestLedgers need no script: only the operator creates them.
func TestEveryKindHasItsScripts(t *testing.T) {
	g, scheme := NewWithT(t), runtime.NewScheme()
	g.Expect(v1alpha1.AddToScheme(scheme)).To(Succeed())
	for _, written := range kinds() {
		g.Expect(scheme.Recognizes(v1alpha1.GroupVersion.WithKind(written.name))).To(BeTrue(), written.name)
	}
	for name := range scheme.KnownTypes(v1alpha1.GroupVersion) {
		if name != "RequestLedger" && scheme.Recognizes(v1alpha1.GroupVersion.WithKind(name+"List")) {
			g.Expect(slices.IndexFunc(kinds(), func(k kind) bool { return k.name == name })).NotTo(Equal(-1), name)
		}
	}
}
