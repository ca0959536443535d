// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
)

const maxBodyBytes = 1 << 20 // of a response of the carrier, before and after it is unpacked

var errBodyTooLarge = errors.New("the body is larger than 1 MiB")

// The wrappers that a server or a gateway adds to a body without being asked. RFC 8259 section
// 8.1 lets a reader ignore the byte order mark.
const (
	byteOrderMark = "\xef\xbb\xbf"
	gzipMagic     = "\x1f\x8b"
	padding       = " \t\r\n\x00"
)

// readBody reads the body of a response of the carrier or of the identity provider, up to a number of
// bytes, and undoes what wraps it: gzip, a byte order mark, and zero bytes or white space around it.
func readBody(resp *http.Response, most int64) ([]byte, error) {
	body, err := readLimited(resp.Body, most)
	if err == nil && bytes.HasPrefix(body, []byte(gzipMagic)) {
		body, err = unzip(body, most)
	}
	if err != nil {
		return nil, err
	}
	body = bytes.TrimPrefix(bytes.Trim(body, padding), []byte(byteOrderMark))
	return bytes.Trim(body, padding), nil
}

func readLimited(from io.Reader, most int64) ([]byte, error) {
	var body bytes.Buffer
	n, err := io.Copy(&body, io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read body: %w", err)
	case n > most:
		return nil, errBodyTooLarge
	}
	return body.Bytes(), nil
}

// unzip unpacks a body, and stops at the limit.
func unzip(body []byte, most int64) ([]byte, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("unpack body: %w", err)
	}
	return readLimited(unpacked, most)
}
