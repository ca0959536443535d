// SPDX-License-Identifier: Apache-2.0

package table_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

func example() *table.Table {
	rows := table.New("OBJECT", "EMPTY", "CHANGE", "AGE")
	rows.Add("bbs/site-014", "", "plan.name Home 50/20 → Home 100/20, restorationSLA unknown → Enhanced-8", "3m")
	rows.Add("bbs/site-015", "", "none")
	rows.Paint("OBJECT", table.Red)
	return rows
}

func TestLinesFitTheTerminalAndNoWordIsLost(t *testing.T) {
	t.Parallel()
	for width := 30; width <= 120; width++ {
		text := example().Text(table.Style{Width: width})
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > width {
				t.Fatalf("width %d: %q", width, line)
			}
		}
		if strings.Count(text, "5") != strings.Count(example().Text(table.Style{}), "5") {
			t.Fatalf("width %d: text is lost:\n%s", width, text)
		}
	}
}

// wide is a table whose columns do not fit side by side into a narrow terminal.
func wide() *table.Table {
	rows := table.New("OBJECT", "OPERATION", "PERSON", "SUCCEEDED", "FAILED", "ONE-TIME", "UNKNOWN PRICES")
	rows.Add("bbs/site-014", "AggregationConversion", "kubectl-broadband", "12", "0", "1200.00 AUD", "3")
	rows.Add("bbs/site-015", "PlanChange", "", "1", "0", "0.00 AUD", "0")
	return rows
}

func TestWordsStayWholeInATerminalOf100Columns(t *testing.T) {
	t.Parallel()
	text := wide().Text(table.Style{Width: 100})
	for _, word := range []string{"SUCCEEDED", "AggregationConversion", "kubectl-broadband", "  12  "} {
		if !strings.Contains(text, word) {
			t.Errorf("%q is broken:\n%s", word, text)
		}
	}
}

func TestARowBecomesAListIfTheColumnsDoNotFit(t *testing.T) {
	t.Parallel()
	want := `OBJECT          bbs/site-014
OPERATION       AggregationConversion
PERSON          kubectl-broadband
SUCCEEDED       12
FAILED          0
ONE-TIME        1200.00 AUD
UNKNOWN PRICES  3

OBJECT          bbs/site-015
OPERATION       PlanChange
SUCCEEDED       1
FAILED          0
ONE-TIME        0.00 AUD
UNKNOWN PRICES  0
`
	if text := wide().Text(table.Style{Width: 60}); text != want {
		t.Fatal(text)
	}
	for width := 30; width < 60; width++ {
		for line := range strings.Lines(wide().Text(table.Style{Width: width})) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > width {
				t.Fatalf("width %d: %q", width, line)
			}
		}
	}
}

func TestAColumnWithoutTextIsLeftOut(t *testing.T) {
	t.Parallel()
	if text := example().Text(table.Style{}); strings.Contains(text, "EMPTY") {
		t.Fatal(text)
	}
}

func TestColorsDoNotMoveColumns(t *testing.T) {
	t.Parallel()
	colored := example().Text(table.Style{Width: 60, Colors: true})
	if !strings.Contains(colored, "\x1b[31mbbs/site-015\x1b[0m") {
		t.Fatalf("%q", colored)
	}
	bare := colored
	for _, code := range []string{"\x1b[31m", "\x1b[2m", "\x1b[0m"} {
		bare = strings.ReplaceAll(bare, code, "")
	}
	if plain := example().Text(table.Style{Width: 60}); plain != bare {
		t.Fatalf("without colors:\n%s\nwith:\n%s", plain, bare)
	}
}

func TestAColumnThatIsCutHasOneLine(t *testing.T) {
	t.Parallel()
	text := example().CutColumn("CHANGE").Text(table.Style{Width: 50})
	if lines := strings.Count(text, "\n"); lines != 3 || !strings.Contains(text, "…") {
		t.Fatal(text)
	}
}
