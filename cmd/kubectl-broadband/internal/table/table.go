// SPDX-License-Identifier: Apache-2.0

// Package table writes tables that fit the width of a terminal. It is pure: the caller says where
// to write, how wide the terminal is, and whether there are colors.
package table

import (
	"io"
	"strings"
	"unicode/utf8"
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

// CutColumn makes the text of the named column be cut instead of wrapped.
func (t *Table) CutColumn(name string) *Table {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			t.Columns[i].Cut = true
		}
	}
	return t
}

// Add adds a row of plain cells.
func (t *Table) Add(texts ...string) {
	row := make([]Cell, 0, len(texts))
	for _, text := range texts {
		row = append(row, Cell{Text: text})
	}
	t.Rows = append(t.Rows, row)
}

// AddCells adds a row.
func (t *Table) AddCells(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// gap is the space between two columns; narrowest is the least width of a column that is shrunk.
const (
	gap       = 3
	narrowest = 8
)

// Write writes the table. Columns that are empty in every row are left out.
func (t *Table) Write(out io.Writer, style Style) error {
	shown := t.withoutEmptyColumns()
	widths := shown.widths(style.Width)
	var text strings.Builder
	heading := make([]Cell, 0, len(shown.Columns))
	for _, column := range shown.Columns {
		heading = append(heading, Cell{Text: column.Name, Color: Faint})
	}
	for _, row := range append([][]Cell{heading}, shown.Rows...) {
		shown.writeRow(&text, row, widths, style)
	}
	_, err := io.WriteString(out, text.String())
	return err //nolint:wrapcheck // the caller knows where it writes
}

func (t *Table) withoutEmptyColumns() *Table {
	shown := &Table{Indent: t.Indent, Rows: make([][]Cell, len(t.Rows))}
	for i, column := range t.Columns {
		used := len(t.Rows) == 0
		for _, row := range t.Rows {
			used = used || i < len(row) && row[i].Text != ""
		}
		if !used {
			continue
		}
		shown.Columns = append(shown.Columns, column)
		for r, row := range t.Rows {
			cell := Cell{}
			if i < len(row) {
				cell = row[i]
			}
			shown.Rows[r] = append(shown.Rows[r], cell)
		}
	}
	return shown
}

// widths returns the width of each column. The widest columns are shrunk until all fit, beginning
// with those whose words stay whole.
func (t *Table) widths(total int) []int {
	widths, words, least := make([]int, len(t.Columns)), make([]int, len(t.Columns)), make([]int, len(t.Columns))
	sum := t.Indent + gap*(len(t.Columns)-1)
	for i := range t.Columns {
		widths[i], words[i] = t.natural(i)
		words[i], least[i] = max(words[i], narrowest), narrowest
		sum += widths[i]
	}
	if total > 0 {
		sum = shrink(widths, words, sum, total)
		shrink(widths, least, sum, total)
	}
	return widths
}

// natural returns the width of a column without a limit, and that of its longest word.
func (t *Table) natural(column int) (width, word int) {
	width = utf8.RuneCountInString(t.Columns[column].Name)
	for _, row := range t.Rows {
		width = max(width, utf8.RuneCountInString(row[column].Text))
		for part := range strings.FieldsSeq(row[column].Text) {
			word = max(word, utf8.RuneCountInString(part))
		}
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

func (t *Table) writeRow(text *strings.Builder, row []Cell, widths []int, style Style) {
	cells, height := make([][]string, len(row)), 1
	for i, cell := range row {
		cells[i] = t.fit(cell.Text, i, widths[i])
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
			blank += widths[i] - utf8.RuneCountInString(part) + gap
		}
		text.WriteString(strings.TrimRight(written.String(), " "))
		text.WriteByte('\n')
	}
}

// fit returns the lines of a cell.
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
