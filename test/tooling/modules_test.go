// SPDX-License-Identifier: Apache-2.0

package tooling_test

import (
	"io/fs"
	"os"
	"path"
	"testing"

	"golang.org/x/mod/modfile"

	. "github.com/onsi/gomega"
)

// aligned are the modules that `make test-all` builds. hack/foreign/prometheus is not one of them: it
// shares few packages, and needs newer versions of some.
var aligned = []string{
	".", "bench", "hack/run/controlplane", "hack/foreign/flux", "hack/foreign/helm", "hack/foreign/kubestatemetrics",
	"hack/release", "hack/run/tools",
}

// Go compiles a package again for each version of itself and of what it imports. With one version of
// each module, client-go and the rest of Kubernetes are compiled once on a new machine, and all tests
// use what the operator is built from.
func TestTheModulesRequireTheSameVersions(t *testing.T) {
	t.Parallel()
	g, versions := NewWithT(t), map[string]map[string][]string{}
	for _, folder := range aligned {
		name := path.Join(folder, "go.mod")
		text, err := fs.ReadFile(os.DirFS("../.."), name)
		g.Expect(err).NotTo(HaveOccurred())
		file, err := modfile.Parse(name, text, nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(file.Require).NotTo(BeEmpty(), name)
		for _, one := range file.Require {
			if versions[one.Mod.Path] == nil {
				versions[one.Mod.Path] = map[string][]string{}
			}
			versions[one.Mod.Path][one.Mod.Version] = append(versions[one.Mod.Path][one.Mod.Version], folder)
		}
	}
	for module, folders := range versions {
		g.Expect(folders).To(HaveLen(1), "go get %s at one version in each of these modules", module)
	}
}
