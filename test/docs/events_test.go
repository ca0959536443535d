// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const eventsPage = "docs/operations.md"

var (
	// eventReason is a constant with the reason of an Event. A reason that Ready has, too, is that
	// constant of the API.
	eventReason = regexp.MustCompile(`(?m)^\s*(?:const )?[eE]vent[A-Z]\w*\s+= (?:"(\w+)"|v1alpha1\.Reason(\w+))$`)
	// literalReason is an Event whose reason is no constant.
	literalReason = regexp.MustCompile(`Eventf\([^,]+, [^,]+, [^,]+, ("\w+")`)

	eventsSection = regexp.MustCompile(`(?s)\n## Events\n(.*?)\n## `)
	eventsCell    = regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|")
)

// eventReasons returns the reasons of the Events that the operator emits, sorted, beside those of
// Ready and of the carrier's notifications.
func eventReasons(t *testing.T) []string {
	t.Helper()
	var reasons []string
	err := fs.WalkDir(os.DirFS("../.."), "controllers", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		code := text(t, path)
		for _, literal := range literalReason.FindAllStringSubmatch(code, -1) {
			t.Errorf("%s: the reason %s of an Event is no constant", path, literal[1])
		}
		for _, constant := range eventReason.FindAllStringSubmatch(code, -1) {
			reasons = append(reasons, constant[1]+constant[2])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(reasons)
	return reasons
}

func TestThePageListsEveryEvent(t *testing.T) {
	t.Parallel()
	section := eventsSection.FindStringSubmatch(text(t, eventsPage))
	if section == nil {
		t.Fatalf("%s has no section about Events", eventsPage)
	}
	cells := ""
	for _, cell := range eventsCell.FindAllStringSubmatch(section[1], -1) {
		cells += cell[1]
	}
	listed := slices.Sorted(slices.Values(regexp.MustCompile(`\w+`).FindAllString(cells, -1)))
	if emitted := eventReasons(t); !slices.Equal(listed, emitted) {
		t.Errorf("%s lists the Events\n%v, and the operator emits\n%v", eventsPage, listed, emitted)
	}
}
