// SPDX-License-Identifier: Apache-2.0

// Package table writes tables that fit the width of a terminal. It is pure: the caller says where
// to write, how wide the terminal is, and whether there are colors.
package table

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// Style is how text is written.
type Style struct {
	Width  int  // columns of the terminal; 0: lines may have any length
	Colors bool // whether colors are used
}

// Color is the color of a cell.
type Color string

// The colors: ANSI codes.
const (
	Plain  Color = ""
	Bold   Color = "1"
	Red    Color = "31"
	Green  Color = "32"
	Yellow Color = "33"
	Faint  Color = "2"
)

// Paint returns text in a color, if the style has colors.
func (s Style) Paint(color Color, text string) string {
	if !s.Colors || color == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(color) + "m" + text + "\x1b[0m"
}

// Cell is one cell of a table.
type Cell struct {
	Text  string
	Color Color
}

// Column is the heading of a column, and what happens to text that does not fit into it.
type Column struct {
	Name string
	Cut  bool // text that does not fit is cut and ends in …; otherwise it is wrapped
}

// Table is a heading and rows.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	Indent  int // spaces before each line
}

// New returns an empty table whose columns wrap.
func New(names ...string) *Table {
	made := &Table{}
	for _, name := range names {
		made.Columns = append(made.Columns, Column{Name: name})
	}
	return made
}

// CutColumn sets the named column to cut its text instead of wrapping it.
func (t *Table) CutColumn(name string) *Table {
	t.Columns[t.column(name)].Cut = true
	return t
}

// Add adds a row of plain cells. The last ones may be left out.
func (t *Table) Add(texts ...string) {
	row := make([]Cell, len(t.Columns))
	for i, text := range texts {
		row[i].Text = text
	}
	t.Rows = append(t.Rows, row)
}

// Paint colors the cell of the last row in the named column.
func (t *Table) Paint(name string, color Color) { t.Rows[len(t.Rows)-1][t.column(name)].Color = color }

func (t *Table) column(name string) int {
	return slices.IndexFunc(t.Columns, func(column Column) bool { return column.Name == name })
}

// The space between two columns, normally and in a narrow terminal, and the minimum width of a
// column in which words are broken.
const (
	wideGap   = 3
	smallGap  = 2
	narrowest = 12
)

// Text returns the table without the columns that are empty in every row. If the columns do not fit
// side by side, each row becomes a list of its cells.
func (t *Table) Text(style Style) string {
	shown := t.withoutEmptyColumns()
	shown.makePrintable()
	var text strings.Builder
	if columns, fits := shown.layOut(style.Width); fits {
		for _, row := range append([][]Cell{shown.heading()}, shown.Rows...) {
			shown.writeRow(&text, row, columns, style)
		}
	} else {
		shown.writeLists(&text, style)
	}
	return text.String()
}

// makePrintable removes characters that a terminal would interpret: control characters, which
// the API server accepts beyond ASCII, and characters that change the direction of the text.
func (t *Table) makePrintable() {
	printable := func(r rune) rune {
		if r == '\n' {
			return r
		}
		return carrier.Printable(r)
	}
	for _, row := range t.Rows {
		for i := range row {
			row[i].Text = strings.Map(printable, row[i].Text)
		}
	}
}

func (t *Table) heading() []Cell {
	heading := make([]Cell, 0, len(t.Columns))
	for _, column := range t.Columns {
		heading = append(heading, Cell{Text: column.Name, Color: Faint})
	}
	return heading
}

func (t *Table) withoutEmptyColumns() *Table {
	shown := &Table{Indent: t.Indent, Rows: make([][]Cell, len(t.Rows))}
	for i, column := range t.Columns {
		if len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].Text != "" }) {
			continue
		}
		shown.Columns = append(shown.Columns, column)
		for r, row := range t.Rows {
			shown.Rows[r] = append(shown.Rows[r], row[i])
		}
	}
	return shown
}

type layout struct {
	widths []int
	gap    int
}

// layOut shrinks the widest columns until all fit, and breaks words only as a last resort.
func (t *Table) layOut(total int) (layout, bool) {
	widths, words, least := make([]int, len(t.Columns)), make([]int, len(t.Columns)), make([]int, len(t.Columns))
	sum := t.Indent
	for i := range t.Columns {
		widths[i], words[i] = t.natural(i)
		least[i] = min(widths[i], narrowest)
		sum += widths[i]
	}
	gaps := len(t.Columns) - 1
	if total <= 0 {
		return layout{widths, wideGap}, true
	}
	for _, attempt := range []struct {
		floors []int
		gap    int
	}{{words, wideGap}, {words, smallGap}, {least, smallGap}} {
		shrunk := slices.Clone(widths)
		if shrink(shrunk, attempt.floors, sum+attempt.gap*gaps, total) <= total {
			return layout{shrunk, attempt.gap}, true
		}
	}
	return layout{}, false
}

func (t *Table) natural(column int) (width, word int) {
	for _, row := range append([][]Cell{t.heading()}, t.Rows...) {
		width = max(width, utf8.RuneCountInString(row[column].Text))
		for part := range strings.FieldsSeq(row[column].Text) {
			word = max(word, utf8.RuneCountInString(part))
		}
	}
	if t.Columns[column].Cut {
		word = min(word, narrowest)
	}
	return width, word
}

// shrink makes the widest column narrower until the sum fits or no column is above its floor.
func shrink(widths, floors []int, sum, total int) int {
	for ; sum > total; sum-- {
		widest := -1
		for i := range widths {
			if widths[i] > floors[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return sum
}

func (t *Table) writeRow(text *strings.Builder, row []Cell, columns layout, style Style) {
	cells, height := make([][]string, len(row)), 1
	for i, cell := range row {
		cells[i] = t.fit(cell.Text, i, columns.widths[i])
		height = max(height, len(cells[i]))
	}
	for line := range height {
		var written strings.Builder
		written.WriteString(strings.Repeat(" ", t.Indent))
		blank := 0 // spaces that are written only if text follows
		for i, cell := range row {
			part := ""
			if line < len(cells[i]) {
				part = cells[i][line]
			}
			if part != "" {
				written.WriteString(strings.Repeat(" ", blank))
				written.WriteString(style.Paint(cell.Color, part))
				blank = 0
			}
			blank += columns.widths[i] - utf8.RuneCountInString(part) + columns.gap
		}
		text.WriteString(strings.TrimRight(written.String(), " "))
		text.WriteByte('\n')
	}
}

func (t *Table) writeLists(text *strings.Builder, style Style) {
	for number, row := range t.Rows {
		if number > 0 {
			text.WriteByte('\n')
		}
		list := &Table{Columns: make([]Column, 2), Indent: t.Indent}
		for i, cell := range row {
			if cell.Text != "" {
				list.Rows = append(list.Rows, []Cell{{Text: t.Columns[i].Name, Color: Faint}, cell})
			}
		}
		name, _ := list.natural(0)
		columns := layout{[]int{name, max(narrowest, style.Width-t.Indent-name-smallGap)}, smallGap}
		for _, line := range list.Rows {
			list.writeRow(text, line, columns, style)
		}
	}
}

func (t *Table) fit(text string, column, width int) []string {
	text = strings.Join(strings.Fields(text), " ")
	if t.Columns[column].Cut {
		return []string{Cut(text, width)}
	}
	return Wrap(text, width)
}

// Cut shortens text to a width; what was cut ends in ….
func Cut(text string, width int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:width-1]), " ") + "…"
}

// Wrap breaks text into lines of a width, at spaces where possible.
func Wrap(text string, width int) []string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		for utf8.RuneCountInString(word) > width {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			runes := []rune(word)
			lines, word = append(lines, string(runes[:width])), string(runes[width:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
