// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// A reader does not have the carrier's specification.
func TestEveryPageThatNamesTheSpecificationLinksToWhatItIs(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, page := range append(pages, "../../README.md", "../../hack/run/simulator/README.md") {
		content := text(t, strings.TrimPrefix(page, "../../"))
		names := strings.Contains(content, "the specification") || strings.Contains(content, "the [specification]")
		about := filepath.Base(apiPage)
		if names && filepath.Base(page) != about && !strings.Contains(content, about) {
			t.Errorf("%s names the specification, and does not link to %s", page, apiPage)
		}
	}
}

// A reader compares the paths with those in the documentation of their carrier.
func TestTheInterfaceHasEveryPathThatIsPosted(t *testing.T) {
	t.Parallel()
	page, found := text(t, apiPage), 0
	for contract := range carrier.Contracts() {
		found++
		if path := strings.TrimPrefix(contract.SubmitPath, "/api/connect/"); !strings.Contains(page, "`"+path+"`") {
			t.Errorf("%s does not have the path %s of %s", apiPage, path, contract.Operation)
		}
	}
	if found == 0 {
		t.Error("there is no operation")
	}
}

// The first thing that a reader sees is what the tutorial shows, whose output is tested.
func TestTheReadmeShowsTheOutputOfTheTutorial(t *testing.T) {
	t.Parallel()
	_, block, found := strings.Cut(text(t, "README.md"), "\n```\n$ kubectl broadband plan site-020\n")
	if !found {
		t.Fatal("the README does not show a plan of changes")
	}
	block, _, _ = strings.Cut(block, "\n```\n")
	tutorial := text(t, "docs/tutorial.md")
	for line := range strings.Lines(block) {
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "$ ")
		if !strings.Contains(tutorial, line) {
			t.Errorf("docs/tutorial.md does not show %q", line)
		}
	}
}
