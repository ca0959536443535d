// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"

	. "github.com/onsi/gomega"
)

// parts reads an SBOM, checks that every package is a part of what it describes, and returns the
// versions of the packages, and the package that it describes.
func parts(t *testing.T, folder, name string) (map[string]string, *v2_3.Package) {
	t.Helper()
	g := NewWithT(t)
	var document v2_3.Document
	g.Expect(spdxjson.ReadInto(strings.NewReader(contents(t, folder, name)), &document)).To(Succeed())
	packages := map[string]string{}
	ids := make([]common.ElementID, 0, len(document.Packages))
	for _, one := range document.Packages {
		packages[one.PackageName] = one.PackageVersion
		ids = append(ids, one.PackageSPDXIdentifier)
	}
	g.Expect(packages).To(HaveLen(len(document.Packages)))
	whole := append(make([]common.ElementID, 0, len(document.Relationships)+1), "DOCUMENT")
	for _, one := range document.Relationships {
		g.Expect(whole).To(ContainElement(one.RefA.ElementRefID))
		g.Expect(ids).To(ContainElement(one.RefB.ElementRefID))
		whole = append(whole, one.RefB.ElementRefID)
	}
	g.Expect(slices.Compact(slices.Sorted(slices.Values(whole)))).To(HaveLen(len(ids)+1), "every package is a part")
	return packages, document.Packages[0]
}

func readSBOMs(t *testing.T, folder string) {
	t.Helper()
	for name, module := range map[string]string{
		managerName(platform): "sigs.k8s.io/controller-runtime", archiveName(platform): "k8s.io/client-go",
	} {
		g := NewWithT(t)
		packages, about := parts(t, folder, sbomName(name))
		g.Expect(about.PackageFileName).To(Equal(name))
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(contents(t, folder, name))))
		g.Expect(about.PackageChecksums).To(Equal([]common.Checksum{{Algorithm: common.SHA256, Value: sum}}))
		g.Expect(packages).To(HaveKeyWithValue("github.com/broadband-operator/broadband-operator", stated(t)))
		g.Expect(packages).To(HaveKeyWithValue("stdlib", runtime.Version()))
		g.Expect(packages).To(HaveKeyWithValue(module, HavePrefix("v0.")))
	}
	programs, err := filepath.Glob(filepath.Join(folder, "*.spdx.json"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(programs).To(HaveLen(3), "the manager, the plugin and the image")
}

func readImageSBOM(t *testing.T, folder string) {
	t.Helper()
	g, digest := NewWithT(t), strings.TrimSpace(contents(t, folder, digestName))
	packages, about := parts(t, folder, "image.spdx.json")
	g.Expect(about.PackageName).To(Equal(imageRepository))
	g.Expect(about.PackageChecksums[0].Value).To(Equal(strings.TrimPrefix(digest, "sha256:")))
	g.Expect(about.PackageExternalReferences[0].Locator).To(Equal(
		"pkg:oci/broadband-operator@" + url.QueryEscape(digest) + "?repository_url=" + imageRepository))
	g.Expect(packages).To(HaveKeyWithValue(imageRepository+" ("+platform+")", stated(t)))
	g.Expect(packages).To(HaveKeyWithValue("github.com/broadband-operator/broadband-operator", stated(t)))
	g.Expect(packages).To(HaveKeyWithValue("sigs.k8s.io/controller-runtime", HavePrefix("v0.")))
	g.Expect(packages).To(HaveKeyWithValue("golang.org/x/crypto/x509roots/fallback", HavePrefix("v0.")))
}
