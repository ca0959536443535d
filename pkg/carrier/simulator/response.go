package simulator

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/rewrite"
)

// response is a response before it is written.
type response struct {
	status   int
	location string
	body     any // nil for none; a rawBody is sent unchanged
	header   map[string]string
}

// rawBody is a body that is sent unchanged.
type rawBody struct{ contentType, text string }

// writeOptions has the differences between the two servers in how they write a response.
type writeOptions struct {
	now     time.Time
	headers map[string]string
	exact   bool // without the undocumented field
	// distortion is how a hostile carrier writes objects; nil for no distortion.
	distortion *rewrite.Distortion
	word       rewrite.Word
	wait       func() // returns when nobody is waiting for the response any more
}

// write sends the whole response.
func (resp response) write(w http.ResponseWriter, opts writeOptions) {
	content := resp.encode(opts)
	resp.writeHead(w, opts)
	w.WriteHeader(resp.status)
	_, _ = w.Write(content) //nolint:errcheck // the peer may have disconnected
}

func (resp response) writeHead(w http.ResponseWriter, opts writeOptions) {
	header := w.Header()
	for name, value := range opts.headers {
		header.Set(name, value)
	}
	header.Set("Date", opts.now.UTC().Format(http.TimeFormat))
	if resp.location != "" {
		header.Set("Location", resp.location)
	}
	switch body := resp.body.(type) {
	case nil:
	case rawBody:
		header.Set("Content-Type", body.contentType)
	default:
		header.Set("Content-Type", jsonMediaType)
	}
	for name, value := range resp.header {
		header.Set(name, value)
		if value == "" {
			header.Del(name)
		}
	}
}

// jsonMediaType is the media type of every body (spec §1 rule 1).
const jsonMediaType = "application/json"

// unknownField is a field that no client knows. It is sent because objects may gain fields at any
// time.
const unknownField = `"_undocumented":{"since":9},`

// encode returns the body as sent.
func (resp response) encode(opts writeOptions) []byte {
	switch body := resp.body.(type) {
	case nil:
		return nil
	case rawBody:
		return []byte(body.text)
	}
	content, err := json.Marshal(resp.body)
	if err != nil {
		return nil // every body of this package can be marshaled
	}
	content = opts.word.Write(content)
	if !opts.exact && content[0] == '{' && len(content) > len("{}") {
		content = append([]byte("{"+unknownField), content[1:]...)
	}
	return opts.distortion.Apply(content)
}
