// SPDX-License-Identifier: Apache-2.0

package metrics

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
)

const page = "../../../docs/metrics.md"

// row is a row of the tables in docs/metrics.md: the metric with its labels, and its type.
var row = regexp.MustCompile(
	"(?m)^\\| `(broadband_[a-z_]+(?:\\{[a-z,]+\\})?)` \\| (counter|gauge|histogram) \\| .+ \\|$")

// otherMetrics are the metrics on the page that other packages register.
var otherMetrics = []string{"broadband_build_info"}

func TestThePageListsTheMetrics(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, match := range row.FindAllStringSubmatch(string(text), -1) {
		name, _, _ := strings.Cut(match[1], "{")
		if !slices.Contains(otherMetrics, name) {
			listed = append(listed, match[2]+" "+match[1])
		}
	}
	counts, registry := registered(t)
	counts.State.ReadWith(exampleFleet)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	want := make([]string, 0, len(families))
	for _, family := range families {
		want = append(want, strings.ToLower(family.GetType().String())+" "+family.GetName()+labelNames(family.GetMetric()[0]))
	}
	slices.Sort(listed)
	slices.Sort(want)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("docs/metrics.md lists (-want +got):\n%s", diff)
	}
}

func labelNames(series *dto.Metric) string {
	names := make([]string, 0, len(series.GetLabel()))
	for _, label := range series.GetLabel() {
		names = append(names, label.GetName())
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("{%s}", strings.Join(names, ","))
}
