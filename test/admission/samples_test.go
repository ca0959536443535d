// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/test/source"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	samplesFolder    = "config/samples"
	samplesNamespace = "samples"
)

// samples returns the manifests of config/samples, by file.
func samples() map[string][]*unstructured.Unstructured {
	root := os.DirFS(source.Root())
	files, err := fs.Glob(root, samplesFolder+"/*.yaml")
	if err != nil {
		panic(err)
	}
	read := map[string][]*unstructured.Unstructured{}
	for _, file := range files {
		if filepath.Base(file) != "kustomization.yaml" {
			read[filepath.Base(file)] = manifests(root, file)
		}
	}
	return read
}

func manifests(root fs.FS, file string) []*unstructured.Unstructured {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		panic(err)
	}
	parts := strings.Split(string(text), "\n---\n")
	read := make([]*unstructured.Unstructured, 0, len(parts))
	for _, part := range parts {
		object := &unstructured.Unstructured{}
		if err := utilyaml.Unmarshal([]byte(part), &object.Object); err != nil {
			panic(file + ": " + err.Error())
		}
		read = append(read, object)
	}
	return read
}

var _ = Describe("kubectl apply --server-side of a sample", Ordered, func() {
	BeforeAll(func(ctx SpecContext) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: samplesNamespace}}
		Expect(plane.Client.Create(ctx, namespace)).To(Succeed())
	})

	for file, objects := range samples() {
		// GitOps tools apply again and again, and not always under the same name.
		It("changes nothing when it is done again, by anybody: "+file, func(ctx SpecContext) {
			for _, object := range objects {
				object.SetNamespace(samplesNamespace)
				first := serverSide(ctx, object, "kubectl")
				// The API server may now store what it only added on reads: the default status.
				before := serverSide(ctx, object, "kubectl")
				Expect(content(before)).To(Equal(content(first)))
				for _, manager := range []string{"kubectl", "flux", "flux"} {
					after := serverSide(ctx, object, manager)
					Expect(content(after)).To(Equal(content(first)))
					if owns(before, manager) {
						Expect(after.GetResourceVersion()).To(Equal(before.GetResourceVersion()), "nothing is written")
					}
					before = after
				}
			}
		})
	}

	It("applies what one customer has, as a kustomization", func() {
		out, err := plane.Kubectl("apply", "-n", samplesNamespace, "-k",
			filepath.Join(source.Root(), samplesFolder, "customer"), "--dry-run=server")
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Split(strings.TrimSpace(out), "\n")).To(ConsistOf(HavePrefix("configmap/"),
			HavePrefix("serviceorder"), HavePrefix("broadbandservice")))
	})

	It("is in the kustomization, each of them", func() {
		text, err := fs.ReadFile(os.DirFS(source.Root()), samplesFolder+"/kustomization.yaml")
		Expect(err).NotTo(HaveOccurred())
		for file := range samples() {
			Expect(string(text)).To(ContainSubstring("\n- " + file + "\n"))
		}
	})
})

// serverSide applies the object as a field manager, without force: a conflict is an error, and so
// is an unknown field.
func serverSide(ctx SpecContext, object *unstructured.Unstructured, manager string) *unstructured.Unstructured {
	GinkgoHelper()
	applied := object.DeepCopy()
	Expect(client.WithFieldValidation(plane.Client, "Strict").Apply(ctx,
		client.ApplyConfigurationFromUnstructured(applied), client.FieldOwner(manager))).To(Succeed())
	return applied
}

// owns reports whether a field manager has applied the object before.
func owns(object *unstructured.Unstructured, manager string) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Manager == manager
	})
}

// content returns an object, including its generation, without the ownership of its fields.
func content(object *unstructured.Unstructured) map[string]any {
	bare := object.DeepCopy()
	bare.SetManagedFields(nil)
	bare.SetResourceVersion("")
	return bare.Object
}
