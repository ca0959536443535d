// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

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

// checkText returns an error for the first byte that is no text: the list was then saved in another
// encoding, and its names would have wrong letters.
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
