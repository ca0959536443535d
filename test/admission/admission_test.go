// SPDX-License-Identifier: Apache-2.0

// Package admission_test tests what kubectl apply refuses, and with which message.
package admission_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestAdmission(t *testing.T) {
	world.RunSpecs(t, "what the API server refuses")
}

// corpus is one file of refused manifests.
type corpus struct {
	Base     json.RawMessage `json:"base"`
	Accepted []accepted      `json:"accepted"`
	Cases    []refused       `json:"cases"`
}

// accepted is a manifest that looks wrong, but that no rule of the carrier refuses.
type accepted struct {
	Name  string          `json:"name"`
	Patch json.RawMessage `json:"patch"` // a merge patch on the base
}

type refused struct {
	Name   string          `json:"name"`
	From   json.RawMessage `json:"from"`   // the object has been like this, and the patch is an edit
	Patch  json.RawMessage `json:"patch"`  // a merge patch on the base
	Expect string          `json:"expect"` // part of the refusal
}

func read(file string) corpus {
	text, err := fs.ReadFile(os.DirFS(source.Root()), "test/corpus/"+file)
	if err != nil {
		panic(err)
	}
	var read corpus
	if err := yaml.UnmarshalStrict(text, &read); err != nil {
		panic(err)
	}
	return read
}

var plane *world.ControlPlane

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	plane, err = world.JoinControlPlane(ctx)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(plane.Stop)
})

var _ = Describe("kubectl apply", func() {
	for _, file := range []string{
		"broadbandservice.yaml", "carrieraccount.yaml", "serviceorder.yaml", "appointmentrequest.yaml",
		"diagnostictest.yaml", "fibrebuildquote.yaml", "planoptionsquery.yaml",
		"healthcheck.yaml",
	} {
		corpus := read(file)
		It("accepts the base of "+file, func(ctx SpecContext) {
			Expect(create(ctx, merge(corpus.Base, []byte("{}")))).To(Succeed())
		})
		for _, accepted := range corpus.Accepted {
			It("accepts a manifest of "+file+": "+accepted.Name, func(ctx SpecContext) {
				Expect(create(ctx, merge(corpus.Base, accepted.Patch))).To(Succeed())
			})
		}
		for _, refused := range corpus.Cases {
			It("refuses a manifest of "+file+": "+refused.Name, func(ctx SpecContext) {
				err := apply(ctx, corpus.Base, refused)
				Expect(err).To(MatchError(ContainSubstring(refused.Expect)))
				expectEachCauseOnce(err)
			})
		}
	}
})

// apply creates the manifest, or creates its original and edits that.
func apply(ctx SpecContext, base []byte, refused refused) error {
	if refused.From == nil {
		return create(ctx, merge(base, refused.Patch))
	}
	object := merge(base, refused.From)
	object.SetName(string(uuid.NewUUID()))
	object.SetNamespace("default")
	status, written := object.Object["status"]
	Expect(plane.Client.Create(ctx, object)).To(Succeed())
	if written {
		object.Object["status"] = status
		Expect(plane.Client.Status().Update(ctx, object)).To(Succeed())
	}
	return plane.Client.Patch(ctx, object, client.RawPatch("application/merge-patch+json", refused.Patch))
}

// incomplete is how the API server reports that it has not evaluated all rules. It names no field.
var incomplete = []string{"some validation rules were not checked", "Checked value must be of type"}

// expectEachCauseOnce expects a refusal to name the field of each cause, and to say nothing twice.
func expectEachCauseOnce(err error) {
	GinkgoHelper()
	answer, is := errors.AsType[*apierrors.StatusError](err)
	Expect(is).To(BeTrue())
	if answer.ErrStatus.Details == nil {
		return // refused before it was validated
	}
	said := map[string]bool{}
	for _, cause := range answer.ErrStatus.Details.Causes {
		own := !slices.ContainsFunc(incomplete, func(text string) bool { return strings.Contains(cause.Message, text) })
		Expect(own && cause.Field == "<nil>").To(BeFalse(), err.Error())
		Expect(said).NotTo(HaveKey(cause.Message), err.Error())
		said[cause.Message] = true
	}
}

// create sends the object as kubectl does, as a dry run in which unknown fields are errors.
func create(ctx SpecContext, object *unstructured.Unstructured) error {
	object.SetNamespace("default")
	return client.WithFieldValidation(plane.Client, "Strict").Create(ctx, object, client.DryRunAll)
}

func merge(base, patch []byte) *unstructured.Unstructured {
	merged, err := jsonpatch.MergePatch(base, patch)
	Expect(err).NotTo(HaveOccurred())
	object := &unstructured.Unstructured{}
	Expect(object.UnmarshalJSON(merged)).To(Succeed())
	return object
}
