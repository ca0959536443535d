// SPDX-License-Identifier: Apache-2.0

package table_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// hostile are texts of manifests and of the carrier that mean something to a spreadsheet or in
// Markdown.
func hostile() map[string]string { // to what a spreadsheet shows
	return map[string]string{
		"=1+1":                    "'=1+1",
		"+cmd|' /C calc'!A0":      "'+cmd|' /C calc'!A0",
		"-2+3":                    "'-2+3",
		"@SUM(A1)":                "'@SUM(A1)",
		"\t=1+1":                  "'\t=1+1",
		"\n=1+1":                  "'\n=1+1",
		" =1+1":                   "' =1+1",
		"＝1+1":                    "'＝1+1",
		"A;=1+cmd|'/C calc'!A0":   "A;=1+cmd|'/C calc'!A0",
		`B","=1+1`:                `B","=1+1`,
		"C\t=1+1":                 "C\t=1+1",
		"-17.00":                  "-17.00",
		"Home 100/20":             "Home 100/20",
		"Home 100/20 (new), 4 m²": "Home 100/20 (new), 4 m²",
	}
}

func TestNoCellOfCSVIsAFormula(t *testing.T) {
	t.Parallel()
	for text, want := range hostile() {
		shown := table.New("PLAN", "NEXT")
		shown.Add(text, "x")
		rows, err := csv.NewReader(strings.NewReader(shown.CSV())).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[1]) != 2 || rows[1][0] != want {
			t.Errorf("%q is %q: %v", text, rows, err)
		}
		if _, bare, _ := strings.Cut(shown.CSV(), "\n"); strings.ContainsAny(text, ";\t\"\n") && bare[0] != '"' {
			t.Errorf("%q is not in quotes: %s", text, bare)
		}
	}
}

func TestNoCellOfMarkdownIsALinkAnImageOrAMention(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"![x](https://evil.example/p)": `\!\[x\](https&#58;//evil.example/p)`,
		"[c](javascript:1)":            `\[c\](javascript:1)`,
		"see www.evil.example":         "see www&#46;evil.example",
		"ask @somebody about #1":       "ask @&#8203;somebody about #&#8203;1",
		`a\|b|c`:                       `a\\\|b\|c`,
		"<img src=x>&lt;":              "&lt;img src=x&gt;&amp;lt;",
		"a\r\nb":                       "a  b",
		"plan_name *x* `y`":            "plan\\_name \\*x\\* \\`y\\`",
	} {
		shown := table.New("PLAN")
		shown.Add(text)
		if _, row, _ := strings.Cut(shown.Markdown(), "---"); !strings.Contains(row, "| "+want+" |") {
			t.Errorf("%q: %s", text, row)
		}
	}
}

func TestNoCellControlsATerminal(t *testing.T) {
	t.Parallel()
	shown := table.New("PLAN")
	shown.Add("a\x1b[2Jb\u009b1mc\u202ed\u200be\r")
	text := shown.Text(table.Style{Width: 80})
	if !strings.Contains(text, "a [2Jb 1mcde") || strings.ContainsAny(text, "\x1b\u009b\u202e\u200b\r") {
		t.Errorf("%q", text)
	}
}

// On a narrow screen a cell stands alone, so it has the name of its column.
func TestEachCellOfHTMLNamesItsColumn(t *testing.T) {
	t.Parallel()
	shown := table.New("PLAN", "NOTE", "PERSON")
	shown.Add(`<b>"50/20"`, "", "maria@reseller.example")
	const want = `<tr><td data-name="PLAN">&lt;b&gt;&#34;50/20&#34;</td>` +
		`<td data-name="PERSON">maria@<wbr>reseller.<wbr>example</td></tr>`
	if page := shown.HTML(); !strings.Contains(page, want) {
		t.Errorf("%s, want %s", page, want)
	}
}
