// SPDX-License-Identifier: Apache-2.0

// Package show lays out for people what the package judge has found. It is pure: it returns
// sections, and writes them where the caller says.
package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Section is a part of the output: a title, lines of text and a table, each optional.
type Section struct {
	Title string
	Color table.Color // of the title
	Lines []string
	Table *table.Table
	After []string // lines after the table, such as sums and the command to paste
}

// Write writes sections with an empty line between them.
func Write(out io.Writer, style table.Style, sections ...Section) error {
	var text strings.Builder
	for i, section := range sections {
		if i > 0 {
			text.WriteString("\n")
		}
		section.write(&text, style)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

func (s Section) write(text *strings.Builder, style table.Style) {
	if s.Title != "" {
		color := s.Color
		if color == table.Plain {
			color = table.Bold
		}
		for _, line := range table.Wrap(s.Title, style.Width) {
			text.WriteString(style.Paint(color, line) + "\n")
		}
	}
	writeLines(text, s.Lines, style)
	if s.Table != nil {
		text.WriteString(s.Table.Text(style))
	}
	writeLines(text, s.After, style)
}

// writeLines wraps lines, except for commands to paste, which a terminal wraps without a break.
func writeLines(text *strings.Builder, lines []string, style table.Style) {
	for _, line := range lines {
		if isCommand(line) {
			text.WriteString(line + "\n")
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for _, part := range table.Wrap(strings.TrimSpace(line), max(0, style.Width-len(indent))) {
			text.WriteString(indent + part + "\n")
		}
	}
}

func isCommand(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "kubectl ") }

// namespaces has the namespaces of a table's objects. They are shown if there are several.
type namespaces map[string]bool

func (n namespaces) add(reference judge.Reference) { n[reference.Namespace] = true }

func (n namespaces) shown(reference judge.Reference) string {
	if len(n) < 2 {
		return ""
	}
	return reference.Namespace
}
