// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"path/filepath"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/broadband-operator/broadband-operator/test/source"
)

// crds returns the CRDs that `make install` installs.
func crds() envtest.CRDInstallOptions {
	return envtest.CRDInstallOptions{
		Paths:              []string{filepath.Join(source.Root(), "config", "crd", "bases")},
		ErrorIfPathMissing: true,
		MaxTime:            planeTimeout,
	}
}

// InstallCRDs installs the CRDs and waits until the API server serves them.
func (c *ControlPlane) InstallCRDs() {
	ginkgo.GinkgoHelper()
	_, err := envtest.InstallCRDs(c.Config, crds())
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// DeleteCRDs deletes all CRDs together. The API server deletes the objects of each CRD before the
// CRD itself is gone.
func (c *ControlPlane) DeleteCRDs() {
	ginkgo.GinkgoHelper()
	gomega.Expect(envtest.UninstallCRDs(c.Config, crds())).To(gomega.Succeed())
}

// AwaitNoCRDs waits until the CRDs, except some, and their objects are gone.
func (c *ControlPlane) AwaitNoCRDs(ctx context.Context, but ...string) {
	ginkgo.GinkgoHelper()
	installed := &metav1.PartialObjectMetadataList{}
	installed.SetGroupVersionKind(schema.GroupVersionKind{
		Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinitionList",
	})
	gomega.Eventually(ctx, func(g gomega.Gomega) {
		g.Expect(c.Client.List(ctx, installed, &client.ListOptions{})).To(gomega.Succeed())
		names := make([]string, 0, len(installed.Items))
		for _, crd := range installed.Items {
			names = append(names, crd.Name)
		}
		g.Expect(names).To(gomega.ConsistOf(but))
	}).WithTimeout(3 * time.Minute).WithPolling(200 * time.Millisecond).Should(gomega.Succeed())
}
