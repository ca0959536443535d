package simulator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// errTooLarge means that a body exceeds the limit.
var errTooLarge = errors.New("the body is too large")

// readBounded reads all of r and fails if it has more than limit bytes.
func readBounded(r io.Reader, limit int64) ([]byte, error) {
	var buffer bytes.Buffer
	n, err := buffer.ReadFrom(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if n > limit {
		// A peer that is still writing when the connection is closed never reads the response. So up to
		// limit more bytes are read.
		if _, err = io.Copy(io.Discard, io.LimitReader(r, limit-1)); err != nil {
			return nil, fmt.Errorf("read what is too large: %w", err)
		}
		return nil, errTooLarge
	}
	return buffer.Bytes(), nil
}
