// SPDX-License-Identifier: Apache-2.0

package mistakes_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// table is mistakes.yaml, which describes its fields.
type table struct {
	Base     map[string]json.RawMessage `json:"base"`
	Mistakes []mistake                  `json:"mistakes"`
}

type mistake struct {
	Number  int             `json:"number"`
	Mistake string          `json:"mistake"`
	Line    json.RawMessage `json:"line"`
	Kind    string          `json:"kind"`
	Given   json.RawMessage `json:"given"`
	Await   string          `json:"await"`
	Patch   json.RawMessage `json:"patch"`
	Run     string          `json:"run"`
	Where   where           `json:"where"`
	Says    []string        `json:"says"`
	Score   score           `json:"score"`
	Why     string          `json:"why"`
}

// where is where something is said about a mistake.
type where string

const (
	printed   where = "printed"
	condition where = "Ready"
	event     where = "Event"
)

// score says whether a person can act on it.
type score string

const (
	scoreClear   score = "clear"
	scoreUnclear score = "unclear"
)

// mostUnclear is how many mistakes may be named without their cause or the way out.
const mostUnclear = 4

func readTable() table {
	text, err := fs.ReadFile(os.DirFS(source.Root()), "test/mistakes/mistakes.yaml")
	if err != nil {
		panic(err)
	}
	var all table
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		panic(err)
	}
	return all
}

// atOnce is how many mistakes are made at the same time. Most of the time they wait for processes.
const atOnce = 4

// walk makes all mistakes, and returns those about which not all is said that the table expects.
func (t table) walk(ctx SpecContext) []string {
	GinkgoHelper()
	unnamed := make([]string, len(t.Mistakes))
	var making sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, row := range t.Mistakes {
		one := t.begin(row)
		slots <- struct{}{}
		making.Go(func() {
			defer GinkgoRecover()
			defer func() { <-slots }()
			if said := one.make(ctx); !one.isSaid(said) {
				unnamed[i] = fmt.Sprintf("number %d, %s: %s", row.Number, row.Mistake, said)
			}
		})
	}
	making.Wait()
	return slices.DeleteFunc(unnamed, func(text string) bool { return text == "" })
}

var _ = world.ShowFigures("mistakes")

var _ = Describe("A mistake", func() {
	It("is named where the table says so", func(ctx SpecContext) {
		Expect(readTable().walk(ctx)).To(BeEmpty())
	})

	It("is named with its cause and the way out, but for a few", func() {
		count, last := map[score]int{scoreClear: 0, scoreUnclear: 0}, 0
		for _, row := range readTable().Mistakes {
			Expect(row.Number).To(BeNumerically(">", last), row.Mistake)
			last = row.Number
			count[row.Score]++
			Expect(row.Where).To(BeElementOf(printed, condition, event), row.Mistake)
			Expect(row.Says).NotTo(Or(BeEmpty(), ContainElement("")), row.Mistake)
			Expect(row).To(Or(HaveField("Score", scoreClear), HaveField("Why", Not(BeEmpty()))), "what is unclear says why")
		}
		Expect(count).To(HaveLen(len([]score{scoreClear, scoreUnclear})))
		Expect(count[scoreUnclear]).To(BeNumerically("<=", mostUnclear))
		world.Figuresf("%d clear, %d unclear, 0 silent", count[scoreClear], count[scoreUnclear])
	})
})
