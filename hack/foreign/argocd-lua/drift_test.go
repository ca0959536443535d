// SPDX-License-Identifier: Apache-2.0

package argocd_test

import (
	"testing"

	"github.com/argoproj/gitops-engine/pkg/diff"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	. "github.com/onsi/gomega"
)

// Argo CD sees no drift in fields that the operator writes, nor in fields that a user adds and that
// are not in Git. So selfHeal reverts neither.
func TestNoDrift(t *testing.T) {
	g := NewWithT(t)
	for _, path := range found(t, states) {
		manifest, live := object(t, path), object(t, path)
		delete(manifest.Object, "status")
		manifest.SetFinalizers(nil)
		live.SetFinalizers([]string{"wholesale.broadband/requests"})
		for _, extra := range [][]string{
			{"metadata", "annotations", "wholesale.broadband/approve"}, {"spec", "suspend"},
		} {
			unstructured.RemoveNestedField(manifest.Object, extra...)
			g.Expect(unstructured.SetNestedField(live.Object, "added", extra...)).To(Succeed())
		}
		result, err := diff.Diff(manifest, live)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(result.Modified).To(BeFalse(), path)

		g.Expect(unstructured.SetNestedField(live.Object, "edited", "spec", "accountRef")).To(Succeed())
		g.Expect(unstructured.SetNestedField(manifest.Object, "as in Git", "spec", "accountRef")).To(Succeed())
		result, err = diff.Diff(manifest, live)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(result.Modified).To(BeTrue(), path)
	}
}
