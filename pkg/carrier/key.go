package carrier

import (
	"fmt"
	"log/slog"
	"strings"
)

// Key is one private key of the client, as read from its file.
type Key struct {
	ID  string // the JWT header kid, which the carrier has given to the public key (spec §5)
	PEM []byte // PKCS#1 or PKCS#8, RSA of 2048 to 4096 bits
}

// Format writes the key's id but not its content, for every verb.
func (k Key) Format(f fmt.State, _ rune) { printTo(f, "key "+excerpt(k.ID)) }

// LogValue returns the key's id but not its content.
func (k Key) LogValue() slog.Value { return slog.StringValue("key " + excerpt(k.ID)) }

// MarshalJSON returns the key's id but not its content.
func (k Key) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", "key "+excerpt(k.ID)), nil }

// KeyError states what is wrong with a key. It never has the key's content.
type KeyError struct {
	ID     string // empty if the key has no known id
	Defect string
}

// Error names the key and its defect.
func (e *KeyError) Error() string {
	if e.ID == "" {
		return "private key: " + e.Defect
	}
	return fmt.Sprintf("private key %q: %s", excerpt(e.ID), e.Defect)
}

const maxKeyID = 256

// checkKeyID accepts only plain words as the key id in the JWT's header.
func checkKeyID(id string) error {
	switch {
	case id == "":
		return &KeyError{ID: id, Defect: "it has no key id"}
	case len(id) > maxKeyID:
		return &KeyError{ID: id, Defect: "its key id is longer than 256 characters"}
	case strings.IndexFunc(id, notInKeyID) >= 0:
		return &KeyError{ID: id, Defect: "its key id has spaces, quotes, or characters that are not printable ASCII"}
	}
	return nil
}

func notInKeyID(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }
