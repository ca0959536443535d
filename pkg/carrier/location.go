package carrier

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

const maxLocation = 512 // characters of a Location, excluding query and fragment

// Handle identifies an accepted request: its operation, the API version at which it was sent and
// will be polled, and its id exactly as the carrier wrote it.
type Handle struct {
	Operation Operation
	Version   int
	ID        string
}

// idPlaceholder is the placeholder of the id in a path template.
const idPlaceholder = "{id}"

// Path returns the path of the outcome, relative to the base address: /api/connect/…/requests/{id}.
// It is empty for the zero Handle and for operations whose requests have no id.
func (h Handle) Path() string {
	contract, ok := ContractOf(h.Operation)
	if !ok || !contract.ID.accepts(h.ID) {
		return ""
	}
	return strings.Replace(contract.PollPathAt(h.Version), idPlaceholder, h.ID, 1)
}

// IsZero reports whether the handle is empty.
func (h Handle) IsZero() bool { return h.ID == "" }

// HasID reports whether a number in a message of the carrier is the id of the handle. The carrier
// may have written the id with leading zeros. A message without an id has the number 0.
func (h Handle) HasID(number int64) bool {
	own, whole := Number(h.ID).Int()
	return number != 0 && whole && own == number
}

// LocationError reports a Location that has no usable handle.
type LocationError struct {
	Operation Operation
	Location  string // sanitized and shortened
	Reason    string
}

// Error names the operation, the reason and the location.
func (e *LocationError) Error() string {
	return fmt.Sprintf("%s: Location %q is not usable: %s", e.Operation, e.Location, e.Reason)
}

// ParseLocation returns the handle of a request from the Location in the carrier's response.
//
// A Location is a URL, or a reference relative to the path of the POST (RFC 9110 section
// 10.2.2). ParseLocation resolves it and matches its end with the operation's own path
// template, because a gateway may add a prefix to the carrier's paths, or replace /api/connect
// with its own prefix. Only the id is taken from the Location: scheme, user, host, prefix,
// query, fragment and the parameters of the last segment are dropped, so the carrier's text
// cannot decide where the next call goes. Paths of other operations, escapes before the id,
// and ids in another format are refused with a [LocationError].
func ParseLocation(op Operation, version int, location string) (Handle, error) {
	contract, ok := ContractOf(op)
	if !ok || contract.PollPath == "" {
		return Handle{}, &LocationError{Operation: op, Location: excerptOfServer(location), Reason: "the operation has none"}
	}
	path, err := contract.locationPath(location)
	if err != nil {
		return Handle{}, &LocationError{Operation: op, Location: excerptOfServer(location), Reason: err.Error()}
	}
	id, ok := contract.idIn(path)
	if !ok {
		reason := "it does not match " + contract.PollPathAt(version)
		return Handle{}, &LocationError{Operation: op, Location: excerptOfServer(location), Reason: reason}
	}
	return Handle{Operation: op, Version: version, ID: id}, nil
}

// idIn matches a path against each of the operation's templates.
func (c Contract) idIn(path string) (string, bool) {
	if id, ok := c.matchTemplate(c.PollPath, path); ok {
		return id, true
	}
	for _, template := range c.pollAt {
		if id, ok := c.matchTemplate(template, path); ok {
			return id, true
		}
	}
	return "", false
}

// apiRoot begins every path of the specification.
const apiRoot = "/api/connect"

// matchTemplate returns the id of a path that ends as the template does. A template begins with a
// slash, so whatever precedes it in the path consists of whole segments.
func (c Contract) matchTemplate(template, path string) (string, bool) {
	before, _ := strings.CutSuffix(template, idPlaceholder)
	if !strings.Contains(path, apiRoot+"/") {
		before = strings.TrimPrefix(before, apiRoot) // a gateway may have removed it
	}
	begin := strings.LastIndex(path, before)
	if begin < 0 || strings.Contains(path[:begin], "%") {
		return "", false
	}
	id := path[begin+len(before):]
	return id, c.ID.accepts(id)
}

var (
	errLocationEmpty  = errors.New("it is empty")
	errLocationLong   = errors.New("it is too long")
	errLocationBytes  = errors.New("it has characters that a path of the carrier never has")
	errLocationScheme = errors.New("it is neither a path nor an http or https address")
)

// locationPath returns the path of a Location, resolved against that of the POST, without one trailing
// slash and without the parameters of its last segment.
func (c Contract) locationPath(location string) (string, error) {
	if end := strings.IndexAny(location, "?#"); end >= 0 {
		location = location[:end]
	}
	switch {
	case location == "":
		return "", errLocationEmpty
	case len(location) > maxLocation:
		return "", errLocationLong
	case strings.IndexFunc(location, notInLocation) >= 0:
		return "", errLocationBytes
	}
	path, err := withoutHost(location)
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(path, "/") {
		path = c.SubmitPath[:strings.LastIndex(c.SubmitPath, "/")+1] + path
	}
	path = strings.TrimSuffix(withoutDotSegments(path), "/")
	last := strings.LastIndex(path, "/") + 1
	name, _, _ := strings.Cut(path[last:], ";")
	return path[:last] + name, nil
}

// withoutDotSegments resolves the dot segments of an absolute path (RFC 3986 section 5.2.4).
func withoutDotSegments(path string) string {
	resolved := []string{""}
	segments := strings.Split(path, "/")[1:]
	for i, segment := range segments {
		if segment == ".." && len(resolved) > 1 {
			resolved = resolved[:len(resolved)-1]
		}
		if !isDotSegment(segment) {
			resolved = append(resolved, segment)
		} else if i == len(segments)-1 {
			resolved = append(resolved, "") // the path ends in a dot segment, so it names a folder
		}
	}
	return strings.Join(resolved, "/")
}

// notInLocation returns true for control characters, spaces, backslashes and non-ASCII characters. An
// id needs none of them, and each could be read in two ways.
func notInLocation(r rune) bool {
	return r <= ' ' || r >= 0x7f || r == '\\'
}

func withoutHost(location string) (string, error) {
	rest := location
	if scheme, after, ok := strings.Cut(location, "://"); ok && !strings.Contains(scheme, "/") {
		if !strings.EqualFold(scheme, schemeSecure) && !strings.EqualFold(scheme, schemePlain) {
			return "", errLocationScheme
		}
		rest = "//" + after
	}
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		_, path, _ := strings.Cut(authority, "/")
		return "/" + path, nil
	}
	return rest, nil
}

// foreignHost returns the host in a Location if it differs from the host of the base address, and
// "" otherwise. Such a host is worth reporting, because something in front of the carrier rewrites
// addresses. The host is never used. The next call goes to the base address in any case.
func foreignHost(base, location string) string {
	own, err := url.Parse(base)
	if err != nil {
		return ""
	}
	named, err := own.Parse(location)
	if err != nil || withPort(named) == withPort(own) {
		return ""
	}
	return excerptOfServer(named.Host)
}
