// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/x509"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	. "github.com/onsi/gomega"
)

const (
	repository = "../.."
	revision   = "0123456789abcdef0123456789abcdef01234567"
	date       = "1790000000"
)

// platform is the one on which the test runs.
var platform = "linux/" + runtime.GOARCH

func stated(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(repository + "/VERSION")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return strings.TrimSpace(string(text))
}

// dist writes the release of a tree, and returns its folder.
func dist(t *testing.T, root string, more ...string) string {
	t.Helper()
	into := filepath.Join(t.TempDir(), "dist")
	NewWithT(t).Expect(run(t.Context(), append([]string{
		"-root=" + root, "-into=" + into, "-kustomize=" + repository + "/bin/kustomize",
		"-version=" + stated(t), "-revision=" + revision, "-date=" + date,
		"-platforms=" + platform, "-plugin-platforms=" + platform,
	}, more...))).To(Succeed())
	return into
}

// copyOfTree copies the files that git tracks or would add. The name of the copy's folder differs
// from that of the repository.
func copyOfTree(t *testing.T) string {
	t.Helper()
	g := NewWithT(t)
	list := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard")
	list.Dir = repository
	names, err := list.Output()
	g.Expect(err).NotTo(HaveOccurred())
	into := filepath.Join(t.TempDir(), "somewhere", "else")
	for name := range strings.Lines(string(names)) {
		name = strings.TrimSuffix(name, "\n")
		content, err := os.ReadFile(filepath.Join(repository, name)) //nolint:gosec // a file of the repository
		if os.IsNotExist(err) {
			continue // it was removed, and this is not committed yet
		}
		g.Expect(err).NotTo(HaveOccurred())
		path := filepath.Join(into, name)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o750)).To(Succeed())
		g.Expect(os.WriteFile(path, content, 0o600)).To(Succeed()) //nolint:gosec // in our own folder
	}
	return into
}

func contents(t *testing.T, folder, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, file)) //nolint:gosec // our own folder
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// TestRelease builds a release once, for all its tests.
func TestRelease(t *testing.T) {
	folder := dist(t, repository)
	t.Run("has the same bytes when it is built in another folder", func(t *testing.T) {
		again := dist(t, copyOfTree(t))
		NewWithT(t).Expect(contents(t, again, "checksums.txt")).To(Equal(contents(t, folder, "checksums.txt")))
	})
	t.Run("has checksums that sha256sum accepts", func(t *testing.T) {
		check := exec.CommandContext(t.Context(), "sha256sum", "--check", "--strict", "checksums.txt")
		check.Dir = folder
		text, err := check.CombinedOutput()
		NewWithT(t).Expect(err).NotTo(HaveOccurred(), string(text))
		for _, name := range []string{
			"install.yaml", "crds.yaml", "image.tar", "image.digest", "PROVENANCE.md", managerName(platform),
			archiveName(platform), "image.spdx.json", sbomName(managerName(platform)), sbomName(archiveName(platform)),
			"broadband-operator-" + strings.TrimPrefix(stated(t), "v") + ".tgz",
		} {
			NewWithT(t).Expect(string(text)).To(ContainSubstring(name + ": OK\n"))
		}
	})
	t.Run("has an image whose manager runs from its root filesystem", func(t *testing.T) { runImage(t, folder) })
	t.Run("has an SBOM of each program", func(t *testing.T) { readSBOMs(t, folder) })
	t.Run("has an SBOM of the image", func(t *testing.T) { readImageSBOM(t, folder) })
	t.Run("names the image by its digest", func(t *testing.T) { nameDigest(t, folder) })
	t.Run("has CRDs that are those of install.yaml", func(t *testing.T) {
		g := NewWithT(t)
		crds, installed := contents(t, folder, "crds.yaml"), contents(t, folder, "install.yaml")
		g.Expect(strings.Count(crds, "\nkind: CustomResourceDefinition\n")).To(Equal(9))
		g.Expect(strings.Count(crds, "\nkind: ")).To(Equal(9))
		for name, manifest := range map[string]string{"crds.yaml": crds, "install.yaml": installed} {
			g.Expect(strings.SplitN(manifest, "\n", 3)[1]).To(HavePrefix("# Do not use kubectl delete --filename=" + name))
		}
		crds = strings.SplitN(crds, "\n", 3)[2]
		for crd := range strings.SplitSeq(crds, "\n---\n") {
			g.Expect(installed).To(ContainSubstring(strings.TrimSpace(crd)))
		}
	})
	t.Run("is pushed to a registry by its digest, and tagged only then", func(t *testing.T) { push(t, folder) })
	t.Run("is not pushed if the image differs from its digest", func(t *testing.T) { refuse(t, folder) })
	t.Run("says from which commit it was built", func(t *testing.T) {
		NewWithT(t).Expect(contents(t, folder, "PROVENANCE.md")).To(And(
			ContainSubstring(revision), ContainSubstring(runtime.Version())))
	})
}

func runImage(t *testing.T, folder string) {
	t.Helper()
	g := NewWithT(t)
	index, err := openImage(filepath.Join(folder, imageName), t.TempDir())
	g.Expect(err).NotTo(HaveOccurred())
	manifest, err := index.IndexManifest()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(manifest.Manifests).To(HaveLen(1))
	g.Expect(manifest.Manifests[0].Platform.String()).To(Equal(platform))
	image, err := index.Image(manifest.Manifests[0].Digest)
	g.Expect(err).NotTo(HaveOccurred())
	config, err := image.ConfigFile()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.Config.User).To(Equal("65532:65532"))

	files := mutate.Extract(image)
	t.Cleanup(func() { g.Expect(files.Close()).To(Succeed()) })
	filesystem := t.TempDir()
	g.Expect(unpack(files, filesystem)).To(Succeed())
	g.Expect(x509.NewCertPool().AppendCertsFromPEM([]byte(contents(t, filesystem, certificatesPath)))).To(BeTrue())
	_, err = time.LoadLocationFromTZData("Sydney",
		[]byte(contents(t, filesystem, "usr/share/zoneinfo/Australia/Sydney")))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(runInside(t, filesystem, config)).To(Equal("broadband-operator " + stated(t) + " (" + revision + ", " +
		runtime.Version() + ", " + platform + ")\n"))
}

// runInside runs the program of an image with --version. If the test runs as root, the program runs
// in the image's root filesystem and as the image's user. Otherwise, the program is taken from the
// image, but runs outside it.
func runInside(t *testing.T, filesystem string, config *v1.ConfigFile) string {
	t.Helper()
	program := config.Config.Entrypoint[0]
	manager := exec.CommandContext(t.Context(), filepath.Join(filesystem, program), "--version") //nolint:gosec // ours
	if os.Geteuid() == 0 {
		NewWithT(t).Expect(os.Chmod(filesystem, 0o755)).To(Succeed())    //nolint:gosec // as a runtime would
		manager = exec.CommandContext(t.Context(), program, "--version") //nolint:gosec // in the image
		manager.SysProcAttr = &syscall.SysProcAttr{
			Chroot: filesystem, Credential: &syscall.Credential{Uid: 65532, Gid: 65532},
		}
		manager.Dir = "/"
	}
	manager.Env = config.Config.Env
	var complaint bytes.Buffer
	manager.Stderr = &complaint
	out, err := manager.Output()
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), complaint.String())
	return string(out)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func TestAnotherVersionThanThatOfTheTreeIsRefused(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"-root=" + repository, "-into=" + t.TempDir(), "-version=v9.9.9"})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("change it, then make manifests")))
}
