// SPDX-License-Identifier: Apache-2.0

package table_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

func written(t *testing.T, rows *table.Table, style table.Style) string {
	t.Helper()
	var out strings.Builder
	if err := rows.Write(&out, style); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func example() *table.Table {
	rows := table.New("OBJECT", "EMPTY", "CHANGE", "AGE")
	rows.Add("bbs/site-014", "", "plan.name Home 50/20 → Home 100/20, restorationSLA unknown → Enhanced-8", "3m")
	rows.AddCells(table.Cell{Text: "bbs/site-015", Color: table.Red}, table.Cell{}, table.Cell{Text: "none"})
	return rows
}

func TestLinesFitTheTerminalAndNoWordIsLost(t *testing.T) {
	t.Parallel()
	for width := 30; width <= 120; width++ {
		text := written(t, example(), table.Style{Width: width})
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > width {
				t.Fatalf("width %d: %q", width, line)
			}
		}
		if strings.Count(text, "5") != strings.Count(written(t, example(), table.Style{}), "5") {
			t.Fatalf("width %d: text is lost:\n%s", width, text)
		}
	}
}

func TestAColumnWithoutTextIsLeftOut(t *testing.T) {
	t.Parallel()
	if text := written(t, example(), table.Style{}); strings.Contains(text, "EMPTY") {
		t.Fatal(text)
	}
}

func TestColorsDoNotMoveColumns(t *testing.T) {
	t.Parallel()
	colored := written(t, example(), table.Style{Width: 60, Colors: true})
	if !strings.Contains(colored, "\x1b[31mbbs/site-015\x1b[0m") {
		t.Fatalf("%q", colored)
	}
	bare := colored
	for _, code := range []string{"\x1b[31m", "\x1b[2m", "\x1b[0m"} {
		bare = strings.ReplaceAll(bare, code, "")
	}
	if plain := written(t, example(), table.Style{Width: 60}); plain != bare {
		t.Fatalf("without colors:\n%s\nwith:\n%s", plain, bare)
	}
}

func TestAColumnThatIsCutHasOneLine(t *testing.T) {
	t.Parallel()
	text := written(t, example().CutColumn("CHANGE"), table.Style{Width: 50})
	if lines := strings.Count(text, "\n"); lines != 3 || !strings.Contains(text, "…") {
		t.Fatal(text)
	}
}
