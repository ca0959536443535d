// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

type sheet struct {
	header []string
	rows   []record
}

// record is a row of a list that is not blank.
type record struct {
	line  int // in the file, from 1
	cells []string
}

// MaxRows is how many services one list may have.
const MaxRows = 100_000

// readSheet reads the rows of a list. The separator is found from the header if none is given.
// Rows without any value, which spreadsheets write below the last row, are skipped.
func readSheet(list []byte, separator string) (sheet, error) {
	text, err := decoded(list)
	if err != nil {
		return sheet{}, err
	}
	comma, text, err := separatorOf(text, separator)
	if err != nil {
		return sheet{}, err
	}
	reader := csv.NewReader(strings.NewReader(withoutFormulas(text, comma)))
	reader.Comma, reader.FieldsPerRecord = comma, -1
	reader.TrimLeadingSpace = comma != '\t' // otherwise tabs would be trimmed, too
	var records []record
	for len(records) <= MaxRows+1 {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return sheetOf(records)
		}
		if err != nil {
			return sheet{}, quotesError(err)
		}
		line, _ := reader.FieldPos(0)
		if trim(cells) {
			records = append(records, record{line, cells})
		}
	}
	return sheet{}, fmt.Errorf("the list has more than %d services", MaxRows)
}

// The errors of a list that has nothing to import.
var (
	errEmpty      = errors.New("the list is empty")
	errHeaderOnly = errors.New("the list has a header, and no services below it")
)

func sheetOf(records []record) (sheet, error) {
	switch len(records) {
	case 0:
		return sheet{}, errEmpty
	case 1:
		return sheet{}, errHeaderOnly
	}
	return sheet{records[0].cells, records[1:]}, nil
}

func quotesError(err error) error {
	parse, is := errors.AsType[*csv.ParseError](err)
	if !is {
		return fmt.Errorf("read the list: %w", err)
	}
	return fmt.Errorf("line %d, column %d: a quote is missing, or is not written twice inside of quotes: %w",
		parse.Line, parse.Column, parse.Err)
}

// asFormula is a cell that is a formula with a constant text.
var asFormula = regexp.MustCompile(`(?s)^="(.*)"$`)

// trim removes space and formulas from the cells of a row. It reports whether the row has a value.
func trim(cells []string) bool {
	filled := false
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
		if found := asFormula.FindStringSubmatch(cells[i]); found != nil {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(found[1], `""`, `"`))
		}
		filled = filled || cells[i] != ""
	}
	return filled
}

// withoutFormulas replaces ="1001" by "1001". Lists have such cells so that a spreadsheet does
// not treat them as numbers. They are not valid CSV, as the quote is not the first character.
func withoutFormulas(text string, separator rune) string {
	formula := regexp.MustCompile(`(?m)(^|` + regexp.QuoteMeta(string(separator)) + `) *=("(?:[^"\n]|"")*")`)
	return formula.ReplaceAllString(text, "$1$2")
}

const separators = ",;\t|"

func named(separator rune) string {
	if separator == '\t' {
		return "tab"
	}
	return string(separator)
}

// separatorOf returns the separator, and the text without the line that declares it.
func separatorOf(text, given string) (rune, string, error) {
	said, text := cutSeparatorLine(text)
	if given == "" {
		given = said
	}
	if given == "" {
		comma, err := separatorIn(headerLine(text))
		return comma, text, err
	}
	for _, one := range separators {
		if given == string(one) || strings.EqualFold(given, named(one)) {
			return one, text, nil
		}
	}
	return 0, "", fmt.Errorf("the separator is one of , ; | and tab, not %q", given)
}

var separatorLine = regexp.MustCompile(`(?i)^"?sep=([^\n]?)"?\n`)

// cutSeparatorLine removes the line "sep=;" that some spreadsheets write before the header. It
// leaves an empty line, so that the line numbers stay correct.
func cutSeparatorLine(text string) (separator, rest string) {
	found := separatorLine.FindStringSubmatch(text)
	if found == nil {
		return "", text
	}
	return found[1], text[len(found[0])-1:]
}

func headerLine(text string) string {
	header, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	return header
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// separatorIn finds the separator of a header. If a header has several, it does not guess.
func separatorIn(header string) (rune, error) {
	bare := quoted.ReplaceAllString(header, "")
	found := slices.DeleteFunc([]rune(separators), func(one rune) bool { return !strings.ContainsRune(bare, one) })
	switch len(found) {
	case 0:
		return ',', nil // there is one column
	case 1:
		return found[0], nil
	}
	names := make([]string, 0, len(found))
	for _, one := range found {
		names = append(names, fmt.Sprintf("--separator %q", named(one)))
	}
	return utf8.RuneError, fmt.Errorf("the header has several characters that can separate columns: say which with %s",
		strings.Join(names, " or "))
}

// errWorkbook is the error of a list that is no text.
var errWorkbook = errors.New(`this is a workbook, not a CSV list: save it as "CSV UTF-8"`)

// decoded returns a list without a byte order mark and with \n at the end of each line.
func decoded(list []byte) (string, error) {
	if bytes.HasPrefix(list, []byte("PK\x03\x04")) {
		return "", errWorkbook
	}
	text := string(bytes.TrimPrefix(list, []byte("\ufeff")))
	if bytes.HasPrefix(list, []byte{0xff, 0xfe}) || bytes.HasPrefix(list, []byte{0xfe, 0xff}) {
		wide, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(list)
		if err != nil {
			return "", fmt.Errorf("read the list as UTF-16: %w", err)
		}
		text = string(wide)
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return text, checkText(text)
}

// checkText refuses a text in another encoding, whose names would have wrong letters.
func checkText(text string) error {
	number := 0
	for line := range strings.Lines(text) {
		number++
		column := 0
		for at, char := range line {
			column++
			if char == utf8.RuneError || char == 0 {
				return fmt.Errorf("line %d, column %d: the byte %#02x is not UTF-8 text: save the list as \"CSV UTF-8\"",
					number, column, line[at])
			}
		}
	}
	return nil
}
