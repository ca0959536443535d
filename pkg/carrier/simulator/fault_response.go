package simulator

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// apply applies the fault to a response. The body is that of a Status. Status zero means that there is
// no response.
func (f Fault) apply(resp response, called *url.URL, body any) response {
	switch f.Kind {
	case FaultReset, FaultHang:
		return response{}
	case FaultStatus, FaultPage, FaultBody, FaultRedirect:
		own := f.ownResponse(called, body)
		if f.Kind != FaultRedirect {
			own.location = f.locationFor(resp.location)
		}
		return own
	case FaultNoLocation:
		resp.location = ""
	case FaultLocation:
		resp.location = f.locationFor(resp.location)
	case FaultAlter:
		return f.alter(resp)
	case FaultNone, FaultCutBody, FaultEndInError, FaultStall, FaultTrickle, FaultBomb, FaultAlterResult, FaultDouble:
	}
	return resp
}

// alter returns the carrier's response with the fault's changes.
func (f Fault) alter(resp response) response {
	resp.status = cmp.Or(f.Status, resp.status)
	if f.Location != "" {
		resp.location = f.locationFor(resp.location)
	}
	header := maps.Clone(resp.header)
	if header == nil {
		header = make(map[string]string)
	}
	maps.Copy(header, f.header())
	resp.header = header
	switch {
	case f.Body != "":
		resp.body = rawBody{jsonMediaType, f.Body}
	case f.Merge != nil:
		resp.body = merged(resp.body, f.Merge)
	}
	return resp
}

// merged returns a body with a JSON merge patch applied. If the response has no body, the patch
// becomes its body.
func merged(body any, patch json.RawMessage) any {
	if raw, unchanged := body.(rawBody); unchanged {
		return raw
	}
	document := []byte("{}")
	if body != nil {
		document = encoded(body)
	}
	changed, err := jsonpatch.MergePatch(document, patch)
	if err != nil {
		return body // FailNext has checked the patch
	}
	return json.RawMessage(changed)
}

// ownResponse returns the fault's own response, which does not depend on the carrier's response.
func (f Fault) ownResponse(called *url.URL, body any) response {
	resp := response{status: f.Status, header: f.header()}
	switch f.Kind { //nolint:exhaustive // the others have no response of their own
	case FaultRedirect:
		resp.status = cmp.Or(f.Status, http.StatusTemporaryRedirect)
		resp.location = cmp.Or(f.Location, called.Path)
	case FaultBody:
		resp.body = rawBody{jsonMediaType, f.Body}
	case FaultPage:
		page := fmt.Sprintf("<html><body><h1>%d %s</h1></body></html>\n", f.Status, http.StatusText(f.Status))
		resp.body = rawBody{"text/html", page}
	case FaultStatus:
		resp.body = body
	}
	return resp
}

func (f Fault) header() map[string]string {
	header := make(map[string]string, len(f.Header)+1)
	if f.RetryAfter != "" {
		header["Retry-After"] = f.RetryAfter
	}
	maps.Copy(header, f.Header)
	return header
}

// locationFor returns the fault's Location with the true path, or parts of it, filled in; "" if the
// carrier sends none.
func (f Fault) locationFor(location string) string {
	if location == "" {
		return ""
	}
	path := location
	if parsed, err := url.Parse(location); err == nil {
		path = parsed.Path
	}
	segments := strings.Split(path, "/")
	end := strings.Join(segments[max(len(segments)-2, 0):], "/")
	id := segments[len(segments)-1]
	return strings.NewReplacer("{path}", path, "{end}", end, "{id}", id).Replace(f.Location)
}

// send writes the response, or breaks it as the fault requires.
func (f Fault) send(w http.ResponseWriter, resp response, opts writeOptions) {
	switch f.Kind {
	case FaultReset:
		resetConnection(w)
	case FaultHang:
		opts.wait()
		resetConnection(w)
	case FaultCutBody:
		resp.writeCut(w, opts)
	case FaultTrickle:
		resp.writeTrickle(w, opts)
	case FaultBomb:
		resp.writeBomb(w, opts)
	case FaultNone, FaultStatus, FaultPage, FaultBody, FaultRedirect, FaultNoLocation, FaultLocation,
		FaultEndInError, FaultStall, FaultAlter, FaultAlterResult, FaultDouble:
		resp.write(w, opts)
	}
}

// resetConnection closes the connection without a response, with an RST if it is a TCP connection.
func resetConnection(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: the server resets the stream
	}
	if secured, isTLS := connection.(*tls.Conn); isTLS {
		connection = secured.NetConn()
	}
	if tcp, isTCP := connection.(*net.TCPConn); isTCP {
		_ = tcp.SetLinger(0) //nolint:errcheck // without it the peer sees an EOF, which also breaks the response
	}
	_ = connection.Close() //nolint:errcheck // the connection is broken on purpose
}

// writeCut sends the headers and half of the body.
func (resp response) writeCut(w http.ResponseWriter, opts writeOptions) {
	const missing = 512
	content := resp.encode(opts)
	resp.writeHead(w, opts)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)+missing))
	w.WriteHeader(resp.status)
	_, _ = w.Write(content[:len(content)/2])  //nolint:errcheck // the response is broken on purpose
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // the response is broken on purpose
	panic(http.ErrAbortHandler)
}

// writeTrickle sends the headers and half of the body, and then nothing until nobody is waiting.
func (resp response) writeTrickle(w http.ResponseWriter, opts writeOptions) {
	content := resp.encode(opts)
	resp.writeHead(w, opts)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)+1))
	w.WriteHeader(resp.status)
	_, _ = w.Write(content[:len(content)/2])  //nolint:errcheck // the response is broken on purpose
	_ = http.NewResponseController(w).Flush() //nolint:errcheck // the response is broken on purpose
	opts.wait()
	panic(http.ErrAbortHandler)
}

// writeBomb sends a gigabyte of blanks compressed to a megabyte. A client without a limit would
// read all of it while looking for JSON.
func (resp response) writeBomb(w http.ResponseWriter, opts writeOptions) {
	const part, parts = 1 << 20, 1 << 10
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, _ = zip.Write(bytes.Repeat([]byte(" "), part)) //nolint:errcheck // writing to a buffer cannot fail
	_ = zip.Close()                                   //nolint:errcheck // writing to a buffer cannot fail
	resp.writeHead(w, opts)
	w.Header().Set("Content-Type", jsonMediaType)
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(resp.status)
	for range parts { // consecutive members of a gzip stream decompress to one text
		if _, err := w.Write(packed.Bytes()); err != nil {
			return // the client has disconnected
		}
	}
}
