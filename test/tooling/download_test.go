// SPDX-License-Identifier: Apache-2.0

package tooling_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha512"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"
)

// archive is one as envtest has them, except that the programs only contain their version.
func archive(t *testing.T, version string, programs ...string) []byte {
	t.Helper()
	g := NewWithT(t)
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	files := tar.NewWriter(packed)
	for _, name := range programs {
		header := &tar.Header{Name: "controller-tools/envtest/" + name, Mode: 0o755, Size: int64(len(version))}
		g.Expect(files.WriteHeader(header)).To(Succeed())
		g.Expect(files.Write([]byte(version))).Error().NotTo(HaveOccurred())
	}
	g.Expect(files.Close()).To(Succeed())
	g.Expect(packed.Close()).To(Succeed())
	return out.Bytes()
}

// release is an archive, what the index says of it, and where it is if not beside the index.
type release struct {
	content []byte
	sum     string
	link    string
}

func whole(t *testing.T, version string) release {
	t.Helper()
	content := archive(t, version, all...)
	return release{content: content, sum: sumOf(content)}
}

func sumOf(content []byte) string { return fmt.Sprintf("%x", sha512.Sum512(content)) }

// served is the address of an index of these releases, by version.
func served(t *testing.T, releases map[string]release) string {
	t.Helper()
	files := fstest.MapFS{}
	server := httptest.NewServer(http.FileServerFS(files))
	t.Cleanup(server.Close)
	index := "releases:\n"
	for version, one := range releases {
		name := fmt.Sprintf("envtest-%s-%s-%s.tar.gz", version, runtime.GOOS, runtime.GOARCH)
		files[name] = &fstest.MapFile{Data: one.content}
		link := cmp.Or(one.link, server.URL+"/"+name)
		index += fmt.Sprintf("  %s:\n    %s: {hash: %s, selfLink: '%s'}\n", version, name, one.sum, link)
	}
	files["index.yaml"] = &fstest.MapFile{Data: []byte(index)}
	return server.URL + "/index.yaml"
}

// controlplane does what `make controlplane` does, except that programs that it would build contain
// only "built".
func controlplane(t *testing.T, folder string, settings ...string) string {
	t.Helper()
	g := NewWithT(t)
	realGo, err := exec.LookPath("go")
	g.Expect(err).NotTo(HaveOccurred())
	standIn, err := filepath.Abs("testdata/building")
	g.Expect(err).NotTo(HaveOccurred())
	build := exec.CommandContext(t.Context(), "../../hack/run/controlplane/build.sh", folder) //nolint:gosec // our own
	build.Env = append(os.Environ(), "REAL_GO="+realGo, "PATH="+standIn+":"+os.Getenv("PATH"), "CI=", "OFFLINE=",
		"ENVTEST_INSTALLED_ONLY=", "ENVTEST_SECONDS=300")
	build.Env = append(build.Env, settings...)
	out, err := build.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(out))
	return string(out)
}

// contents are those of the programs in the folder, of which nothing else may be left.
func contents(t *testing.T, folder string) []string {
	t.Helper()
	g, files, texts := NewWithT(t), os.DirFS(folder), make([]string, len(all))
	for i, name := range all {
		text, err := fs.ReadFile(files, name)
		g.Expect(err).NotTo(HaveOccurred())
		texts[i] = string(text)
	}
	g.Expect(fs.Glob(files, "*")).To(ConsistOf(append([]string{".built-from"}, all...)))
	return texts
}

func TestTheControlPlaneIsDownloaded(t *testing.T) {
	t.Parallel()
	g, folder, releases := NewWithT(t), t.TempDir(), map[string]release{}
	newest := "v" + pinned + ".1"
	for _, version := range []string{"v1.36.9", "v" + pinned + ".0", newest, "v1.99.0"} {
		releases[version] = whole(t, version)
	}
	out := controlplane(t, folder, "ENVTEST_INDEX="+served(t, releases))
	g.Expect(out).To(MatchRegexp(`downloaded after \d+ s\n$`))
	g.Expect(contents(t, folder)).To(HaveEach(newest), "the newest patch version of the pinned minor version")
	server, err := os.Stat(filepath.Join(folder, "kube-apiserver"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(server.Mode().Perm()&0o100).NotTo(BeZero(), "executable")

	g.Expect(controlplane(t, folder, "ENVTEST_INDEX=http://127.0.0.1:0")).To(BeEmpty(), "no need to ask again")
	g.Expect(contents(t, folder)).To(HaveEach(newest))
	controlplane(t, folder, "CI=true")
	g.Expect(contents(t, folder)).To(HaveEach("built"), "CI tests with what it builds")
}

func TestTheControlPlaneIsBuiltIfItCannotBeDownloaded(t *testing.T) {
	t.Parallel()
	version := "v" + pinned + ".1"
	good, part := whole(t, version), archive(t, version, "etcd", "kube-apiserver")
	only := func(version string, one release) string { return served(t, map[string]release{version: one}) }
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hanging.Close)
	stopped := httptest.NewServer(http.NotFoundHandler())
	stopped.Close()
	for name, one := range map[string]struct{ index, seconds, why string }{
		"the index hangs":         {hanging.URL, "1", "less than 1 MB arrived in 1 s"},
		"the archive hangs":       {only(version, release{sum: good.sum, link: hanging.URL}), "1", "less than 1 MB"},
		"another checksum":        {only(version, release{content: good.content, sum: sumOf(part)}), "300", "checksum"},
		"an archive without all":  {only(version, release{content: part, sum: sumOf(part)}), "300", "kubectl"},
		"another version":         {only("v1.36.9", good), "300", "unable to find a version"},
		"no index at its address": {served(t, nil) + ".txt", "300", "404 Not Found"},
		"no server":               {stopped.URL, "300", "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, folder := NewWithT(t), t.TempDir()
			out := controlplane(t, folder, "ENVTEST_INDEX="+one.index, "ENVTEST_SECONDS="+one.seconds)
			g.Expect(out).To(MatchRegexp(`(?m)^controlplane: not downloaded \(.*%s.*\); building takes`, one.why))
			g.Expect(contents(t, folder)).To(HaveEach("built"))
		})
	}
}

func TestTheControlPlaneIsBuiltIfNothingMayBeDownloaded(t *testing.T) {
	t.Parallel()
	for name, setting := range map[string]string{"CI": "CI=true", "OFFLINE": "OFFLINE=1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, folder := NewWithT(t), t.TempDir()
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
			t.Cleanup(server.Close)
			out := controlplane(t, folder, "ENVTEST_INDEX="+server.URL, setting)
			g.Expect(out).To(ContainSubstring("not downloaded (" + name + " is set); building takes"))
			g.Expect(contents(t, folder)).To(HaveEach("built"))
			g.Expect(requests.Load()).To(BeZero())
		})
	}
}

func TestOfflineAsksForNoGoModule(t *testing.T) {
	t.Parallel()
	for offline, proxy := range map[string]string{"1": "off", "0": "asked", "": "asked"} {
		printed := exec.CommandContext(t.Context(), "make", "--no-print-directory", "--file=-", "proxy")
		printed.Dir = "../.."
		printed.Env = append(os.Environ(), "OFFLINE="+offline, "GOPROXY=asked", "KUBEBUILDER_ASSETS=none")
		printed.Stdin = strings.NewReader("include Makefile\nproxy: ; @echo $$GOPROXY\n")
		out, err := printed.Output()
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(string(out)).To(Equal(proxy + "\n"))
	}
}
