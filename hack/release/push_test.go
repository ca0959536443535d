// SPDX-License-Identifier: Apache-2.0

package main

import (
	"compress/gzip"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

// nameDigest checks that what people install names the image that image.tar contains.
func nameDigest(t *testing.T, folder string) {
	t.Helper()
	g := NewWithT(t)
	image, err := openImage(filepath.Join(folder, imageName), t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	digest := must(image.Digest()).String()
	g.Expect(contents(t, folder, digestName)).To(Equal(digest + "\n"))
	g.Expect(contents(t, folder, "install.yaml")).To(ContainSubstring(
		"image: ghcr.io/broadband-operator/broadband-operator:" + stated(t) + "@" + digest + "\n"))
	g.Expect(contents(t, folder, "PROVENANCE.md")).To(ContainSubstring(
		"gh attestation verify oci://ghcr.io/broadband-operator/broadband-operator@" + digest))

	chart := t.TempDir()
	packed, err := gzip.NewReader(strings.NewReader(contents(t, folder,
		"broadband-operator-"+strings.TrimPrefix(stated(t), "v")+".tgz")))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(unpack(packed, chart)).To(Succeed())
	var described struct{ Annotations map[string]string }
	g.Expect(yaml.Unmarshal([]byte(contents(t, chart, "broadband-operator/Chart.yaml")), &described)).To(Succeed())
	g.Expect(described.Annotations).To(HaveKeyWithValue(imageDigest, digest))
	g.Expect(described.Annotations).To(HaveKey("artifacthub.io/license"))
	g.Expect(contents(t, chart, "broadband-operator/templates/_helpers.tpl")).To(ContainSubstring(imageDigest))
}

func push(t *testing.T, folder string) {
	t.Helper()
	g := NewWithT(t)
	server := httptest.NewServer(registry.New())
	t.Cleanup(server.Close)
	to := strings.TrimPrefix(server.URL, "http://") + "/broadband-operator"
	tag := []string{"-into=" + folder, "-version=" + stated(t), "-tag=" + to}
	g.Expect(run(t.Context(), tag)).To(MatchError(ContainSubstring("find the pushed image")))
	g.Expect(run(t.Context(), []string{"-into=" + folder, "-version=" + stated(t), "-push=" + to})).To(Succeed())
	tagged := must(name.ParseReference(to + ":" + stated(t)))
	_, err := remote.Index(tagged)
	g.Expect(err).To(HaveOccurred(), "it has no tag yet")

	digest := strings.TrimSpace(contents(t, folder, digestName))
	g.Expect(must(must(remote.Index(must(name.ParseReference(to + "@" + digest)))).Digest()).String()).To(Equal(digest))
	g.Expect(run(t.Context(), tag)).To(Succeed())
	g.Expect(must(must(remote.Index(tagged)).Digest()).String()).To(Equal(digest))
}

func refuse(t *testing.T, folder string) {
	t.Helper()
	g, into := NewWithT(t), t.TempDir()
	push := []string{"-into=" + into, "-version=" + stated(t), "-push=registry.example.com/broadband-operator"}
	g.Expect(run(t.Context(), push)).To(MatchError(ContainSubstring("run make dist first")))
	other := "sha256:" + strings.Repeat("a", 64) + "\n"
	g.Expect(os.WriteFile(filepath.Join(into, digestName), []byte(other), 0o600)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(into, imageName), []byte(contents(t, folder, imageName)), 0o600)).To(Succeed())
	g.Expect(run(t.Context(), push)).To(MatchError(ContainSubstring("image.tar has the digest sha256:")))
}
