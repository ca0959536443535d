// SPDX-License-Identifier: Apache-2.0

package table

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Markdown returns the table in GitHub's Markdown.
func (t *Table) Markdown() string {
	shown := t.withoutEmptyColumns()
	var text strings.Builder
	text.WriteString(markdownRow(shown.heading()) + "|" + strings.Repeat(" --- |", len(shown.Columns)) + "\n")
	for _, row := range shown.Rows {
		text.WriteString(markdownRow(row))
	}
	return text.String()
}

// MarkdownText escapes a text so that Markdown does not interpret it. The text comes from
// manifests and the carrier, and the document may be posted where links and mentions work.
func MarkdownText(text string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "\n", " ", "\r", " ", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`,
		"[", `\[`, "]", `\]`, "!", `\!`, "@", "@&#8203;", "#", "#&#8203;", "://", "&#58;//", "www.", "www&#46;",
	).Replace(text)
}

func markdownRow(cells []Cell) string {
	escaped := make([]string, 0, len(cells))
	for _, cell := range cells {
		escaped = append(escaped, MarkdownText(cell.Text))
	}
	return "| " + strings.Join(escaped, " | ") + " |\n"
}

// HTML returns the table as an HTML element. Each cell has the name of its column, because a narrow
// screen shows the cells of a row below each other.
func (t *Table) HTML() string {
	shown := t.withoutEmptyColumns()
	var text strings.Builder
	text.WriteString("<table>\n<thead><tr>")
	for _, column := range shown.Columns {
		text.WriteString("<th>" + html.EscapeString(column.Name) + "</th>")
	}
	text.WriteString("</tr></thead>\n")
	for _, row := range shown.Rows {
		text.WriteString("<tr>")
		for i, cell := range row {
			text.WriteString(`<td data-name="` + html.EscapeString(shown.Columns[i].Name) + `">` +
				breakable(cell.Text) + "</td>")
		}
		text.WriteString("</tr>\n")
	}
	text.WriteString("</table>\n")
	return text.String()
}

// partsOfNames matches where an address or the name of a user may be broken into two lines.
var partsOfNames = regexp.MustCompile(`([@/.:#])([A-Za-z])`)

// breakable returns a text as HTML, in which a browser breaks long names between their parts.
func breakable(text string) string {
	return partsOfNames.ReplaceAllString(html.EscapeString(text), "$1<wbr>$2")
}

// CSV returns the table as CSV (RFC 4180). A text that a spreadsheet would treat as a formula
// gets an apostrophe. A text is quoted if it has a special character, or a character that
// separates cells only in some countries.
func (t *Table) CSV() string {
	var text strings.Builder
	text.WriteString(strings.ToLower(csvRow(t.heading())))
	for _, row := range t.Rows {
		text.WriteString(csvRow(row))
	}
	return text.String()
}

func csvRow(cells []Cell) string {
	quoted := make([]string, 0, len(cells))
	for _, cell := range cells {
		text := inert(cell.Text)
		if !plainCell.MatchString(text) {
			text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		quoted = append(quoted, text)
	}
	return strings.Join(quoted, ",") + "\n"
}

// plainCell matches texts that no spreadsheet splits into several cells.
var plainCell = regexp.MustCompile(`^([-+A-Za-z0-9._:/()][-+A-Za-z0-9._:/() ]*)?$`)

// inert returns a text that no spreadsheet treats as a formula, in whatever form it reads the
// signs.
func inert(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text // a number, perhaps a negative one
	}
	first, _ := utf8.DecodeRuneInString(text)
	if strings.ContainsRune("=+-@＝＋－＠", first) || unicode.IsSpace(first) || unicode.IsControl(first) {
		return "'" + text
	}
	return text
}

// Page returns a whole HTML page that loads nothing from elsewhere.
func Page(title, body string) string {
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>` + html.EscapeString(title) + `</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.85rem; }
th, td { border: 1px solid #8886; padding: 0.3rem 0.5rem; text-align: left; vertical-align: top; }
th { background: #8882; }
td { overflow-wrap: break-word; }
@media (max-width: 60rem) {
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { border: 1px solid #8886; margin-bottom: 0.75rem; }
  td { border: 0; overflow-wrap: anywhere; padding-left: 9.5rem; text-indent: -9rem; }
  td::before { content: attr(data-name); display: inline-block; width: 9rem; text-indent: 0; opacity: 0.7; }
  td:empty { display: none; }
}
svg { width: 100%; max-width: 60rem; min-width: 46rem; }
svg text { font-size: 13px; fill: currentColor; }
.plot { overflow-x: auto; }
</style>
</head>
<body>
<h1>` + html.EscapeString(title) + `</h1>
` + body + `</body>
</html>
`
}
