// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"encoding/json"
	"regexp"
	"strings"

	"k8s.io/client-go/discovery"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// unavailable matches a reference to a document that a user of kubectl explain does not have.
var unavailable = regexp.MustCompile(`(?i)\bsections? [0-9]|§|\bspecification\b` +
	`|\bR[0-9]+\b|\b(docs|design|shared|spec)/|\bdesign notes?\b|\bADR\b|[a-z]\.(md|go)\b`)

// ofKubernetes is the page that kubectl explain names for the fields apiVersion and kind.
var ofKubernetes = regexp.MustCompile(`https://git\.k8s\.io/\S+`)

// served is a schema as the API server serves it, and as kubectl explain reads it.
type served struct {
	Description string             `json:"description"`
	Type        string             `json:"type"`
	Properties  map[string]*served `json:"properties"`
	Items       *served            `json:"items"`
	Values      *served            `json:"additionalProperties"`
	Kinds       []struct {
		Group string `json:"group"`
		Kind  string `json:"kind"`
	} `json:"x-kubernetes-group-version-kind"`
}

// walk calls visit for a schema and everything in it that kubectl explain describes. Items of a
// list and values of a map need a description of their own only if they are objects. For any
// others, kubectl explain shows the description of the list or map.
func (s *served) walk(at string, needed bool, visit func(at, description string, needed bool)) {
	visit(at, s.Description, needed)
	for name, property := range s.Properties {
		property.walk(at+"."+name, true, visit)
	}
	for _, item := range []*served{s.Items, s.Values} {
		if item != nil {
			item.walk(at+"[]", item.Type == "object", visit)
		}
	}
}

// explained calls visit for the description of every field of our kinds, and returns the kinds.
func explained(visit func(at, description string, needed bool)) []string {
	GinkgoHelper()
	client, err := discovery.NewDiscoveryClientForConfig(plane.Config)
	Expect(err).NotTo(HaveOccurred())
	paths, err := client.OpenAPIV3().Paths()
	Expect(err).NotTo(HaveOccurred())
	path := "apis/" + v1alpha1.GroupVersion.String()
	Expect(paths).To(HaveKey(path))
	text, err := paths[path].Schema("application/json")
	Expect(err).NotTo(HaveOccurred())
	var document struct {
		Components struct {
			Schemas map[string]*served `json:"schemas"`
		} `json:"components"`
	}
	Expect(json.Unmarshal(text, &document)).To(Succeed())
	var kinds []string
	for _, schema := range document.Components.Schemas {
		for _, kind := range schema.Kinds {
			if kind.Group == v1alpha1.GroupVersion.Group && !strings.HasSuffix(kind.Kind, "List") {
				kinds = append(kinds, kind.Kind)
				schema.walk(kind.Kind, true, visit)
			}
		}
	}
	return kinds
}

var _ = Describe("kubectl explain", func() {
	It("describes every field that the API server serves", func() {
		count := 0
		kinds := explained(func(at, description string, needed bool) {
			count++
			if needed {
				Expect(strings.TrimSpace(description)).NotTo(BeEmpty(), at)
			}
		})
		Expect(kinds).To(HaveLen(9))
		Expect(count).To(BeNumerically(">", 500))
	})

	It("cites no document that a user does not have", func() {
		explained(func(at, description string, _ bool) {
			text := strings.Join(strings.Fields(ofKubernetes.ReplaceAllString(description, "")), " ")
			Expect(unavailable.FindString(text)).To(BeEmpty(), "%s: %s", at, text)
		})
	})

	It("is searched for citations of unavailable documents", func() {
		for _, text := range []string{
			"a time (specification section 2)", "see section 5.1", "by rule R12", "spec §9", "see docs/access.md",
			"shared/spec/wholesale-api", "design note 4",
		} {
			Expect(unavailable.MatchString(text)).To(BeTrue(), text)
		}
		for _, text := range []string{
			"spec.plan differs", "CarrierAccount's status.identity", "needs API version 6",
		} {
			Expect(unavailable.FindString(text)).To(BeEmpty(), text)
		}
	})
})
