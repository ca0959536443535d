// SPDX-License-Identifier: Apache-2.0

// Package privilege_test tests what config/default installs in a cluster: that the API server
// accepts it unchanged, and who may do what afterwards.
package privilege_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestPrivilege(t *testing.T) {
	world.RunSpecs(t, "what is deployed, and who may do what")
}

var plane *world.ControlPlane

// The operator is installed as a person would install it, into a cluster that has none of its
// objects.
var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	plane, err = world.StartEmpty()
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
	install()
	Expect(plane.AddNamespace(ctx, team)).To(Succeed())
})

// install applies config/install, as `make install` does, and then config/default, which must not
// conflict.
func install() {
	GinkgoHelper()
	noteReads()
	for _, folder := range []string{"install", "default"} {
		_, err := plane.Kubectl("apply", "--server-side", "--field-manager=broadband-operator",
			"--kustomize", configOf(folder))
		Expect(err).NotTo(HaveOccurred())
	}
}

// noteReads reads the files that kubectl is about to read, because go test reuses a cached result
// as long as the files that the test itself opened are unchanged.
func noteReads() {
	GinkgoHelper()
	config := os.DirFS(filepath.Join(source.Root(), "config"))
	Expect(fs.WalkDir(config, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			_, err = fs.ReadFile(config, path)
		}
		return err
	})).To(Succeed())
}

func configOf(folder string) string { return filepath.Join(source.Root(), "config", folder) }

// rendered returns the objects of a folder of config.
func rendered(folder string) []*unstructured.Unstructured {
	GinkgoHelper()
	text, err := plane.Kubectl("kustomize", configOf(folder))
	Expect(err).NotTo(HaveOccurred())
	var objects []*unstructured.Unstructured
	for part := range strings.SplitSeq(text, "\n---\n") {
		object := &unstructured.Unstructured{}
		Expect(utilyaml.Unmarshal([]byte(part), &object.Object)).To(Succeed())
		objects = append(objects, object)
	}
	return objects
}

// versions returns the resourceVersions in the cluster of the objects of config/default.
func versions(ctx SpecContext) map[string]string {
	GinkgoHelper()
	found := map[string]string{}
	for _, object := range rendered("default") {
		Expect(plane.Client.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		found[object.GetKind()+" "+object.GetName()] = object.GetResourceVersion()
	}
	return found
}
