// SPDX-License-Identifier: Apache-2.0

package flux_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	. "github.com/onsi/gomega"
)

var update = flag.Bool("update", false, "write the table of test/kstatus")

// table is the table of states that test/kstatus, which checks every pass of every spec, is tested
// with: each line is what kstatus computes, and an object.
const table = "../../../test/kstatus/testdata/table.txt"

func TestTableOfStates(t *testing.T) {
	g := NewWithT(t)
	var lines strings.Builder
	for _, object := range states() {
		computed, err := status.Compute(&unstructured.Unstructured{Object: parsed(t, object)})
		g.Expect(err).NotTo(HaveOccurred(), object)
		lines.WriteString(computed.Status.String() + " " + object + "\n")
	}
	if *update {
		g.Expect(os.WriteFile(table, []byte(lines.String()), 0o600)).To(Succeed())
	}
	written, err := os.ReadFile(table)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(written)).To(Equal(lines.String()),
		"run: go -C hack/foreign/flux test -run=TestTableOfStates . -update")
}

// states returns objects, as JSON, with all combinations of what kstatus reads.
func states() (all []string) {
	for _, part := range []struct{ metadata, observed string }{
		{`{}`, ``},
		{`{"generation":2}`, ``},
		{`{"generation":2}`, `"observedGeneration":1,`},
		{`{"generation":2}`, `"observedGeneration":2,`},
		{`{"generation":2}`, `"observedGeneration":3,`},
		{`{"deletionTimestamp":"2026-03-02T09:00:00Z","generation":2}`, `"observedGeneration":2,`},
	} {
		for _, conditions := range conditionLists() {
			all = append(all, fmt.Sprintf(`{"kind":"BroadbandService","metadata":%s,"status":{%s"conditions":[%s]}}`,
				part.metadata, part.observed, conditions))
		}
	}
	return all
}

// conditionLists returns lists of up to three conditions, as JSON: each status of each, in two orders.
func conditionLists() []string {
	lists := [][]string{nil}
	for _, one := range []struct {
		condition string
		statuses  []string
	}{
		{"Ready", []string{"True", "False", "Unknown"}},
		{"Reconciling", []string{"True", "False"}},
		{"Stalled", []string{"True", "False"}},
	} {
		for _, shorter := range slices.Clone(lists) {
			for _, word := range one.statuses {
				condition := fmt.Sprintf(`{"type":%q,"status":%q}`, one.condition, word)
				lists = append(lists, append(slices.Clone(shorter), condition))
			}
		}
	}
	texts := make([]string, 0, 2*len(lists))
	for _, list := range lists {
		texts = append(texts, strings.Join(list, ","))
		slices.Reverse(list)
		texts = append(texts, strings.Join(list, ","))
	}
	return slices.Compact(texts)
}

func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	object := &unstructured.Unstructured{}
	NewWithT(t).Expect(yaml.Unmarshal([]byte(text), object)).To(Succeed())
	return object.Object
}
