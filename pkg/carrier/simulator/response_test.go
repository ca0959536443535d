package simulator_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// response is a response whose body has been read.
type response struct {
	t      testing.TB
	status int
	header http.Header
	body   string
	host   string // of the server
}

// created checks the 201 and returns the path of the outcome of an accepted submission.
func (a response) created() string {
	a.t.Helper()
	a.is(http.StatusCreated)
	location, err := url.Parse(a.header.Get("Location"))
	if err != nil || location.Path == "" {
		a.t.Fatalf("Location %q: %v", a.header.Get("Location"), err)
	}
	if a.body != "" {
		a.t.Errorf("the 201 has a body: %s", a.body)
	}
	return location.Path
}

// is checks the status.
func (a response) is(status int) response {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// json returns the body as a document.
func (a response) json() map[string]any {
	a.t.Helper()
	var document map[string]any
	decoder := json.NewDecoder(strings.NewReader(a.body))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		a.t.Fatalf("body %q: %v", a.body, err)
	}
	return document
}

// find walks into the body; a missing value is nil.
func (a response) find(path ...string) any {
	a.t.Helper()
	var at any = a.json()
	for _, name := range path {
		object, isObject := at.(map[string]any)
		if !isObject {
			return nil
		}
		at = object[name]
	}
	return at
}

// list returns an array of the body, nil if there is none.
func (a response) list(path ...string) []any {
	a.t.Helper()
	values, isArray := a.find(path...).([]any)
	if !isArray {
		return nil
	}
	return values
}

// text returns a string of the body, empty if there is none.
func (a response) text(path ...string) string {
	a.t.Helper()
	value, isText := a.find(path...).(string)
	if !isText {
		return ""
	}
	return value
}

// refusedWith checks the status, the code and the sub-errors, written "code field".
func (a response) refusedWith(status int, code string, subErrors ...string) {
	a.t.Helper()
	a.is(status)
	var body struct {
		HTTPStatusCode int    `json:"httpStatusCode"`
		Code           string `json:"code"`
		Type           string `json:"type"`
		Timestamp      string `json:"timestamp"`
		APISubErrors   []struct {
			Code  string `json:"code"`
			Field string `json:"field"`
		} `json:"apiSubErrors"`
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		a.t.Fatalf("body %q: %v", a.body, err)
	}
	if body.HTTPStatusCode != status || body.Code != code || body.Type == "" || body.Timestamp == "" {
		a.t.Errorf("error body %s, want code %q and status %d", a.body, code, status)
	}
	got := make([]string, 0, len(body.APISubErrors))
	for _, sub := range body.APISubErrors {
		got = append(got, sub.Code+" "+sub.Field)
	}
	if body.APISubErrors == nil || !slices.Equal(got, subErrors) {
		a.t.Errorf("sub-errors of %s, want %q", a.body, subErrors)
	}
}
