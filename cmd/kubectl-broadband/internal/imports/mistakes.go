// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// LineError is what keeps a line of a list from being imported.
type LineError struct {
	Line int
	Text string
}

// Error says what is wrong in which line.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

func mistake(line int, format string, values ...any) *LineError {
	return &LineError{line, fmt.Sprintf(format, values...)}
}

// LineErrors are all mistakes of a list.
type LineErrors []*LineError

// mistakesShown is the maximum number of mistakes that are shown at a time.
const mistakesShown = 20

// Error shows the first mistakes.
func (e LineErrors) Error() string {
	shown := e[:min(len(e), mistakesShown)].Lines()
	if more := len(e) - mistakesShown; more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more: --errors FILE writes all of them into a file", more))
	}
	return strings.Join(shown, "\n")
}

// Lines returns every mistake as a line of text.
func (e LineErrors) Lines() []string {
	lines := make([]string, 0, len(e))
	for _, one := range e {
		lines = append(lines, one.Error())
	}
	return lines
}

// err returns the mistakes in the order of their lines; nil if there are none.
func (e LineErrors) err() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *LineError) int { return cmp.Compare(a.Line, b.Line) })
	return e
}

// with returns the mistakes and those in an error, and whether that has any.
func (e LineErrors) with(err error) (LineErrors, bool) {
	if several, is := errors.AsType[LineErrors](err); is {
		return append(e, several...), true
	}
	if one, is := errors.AsType[*LineError](err); is {
		return append(e, one), true
	}
	return e, false
}
