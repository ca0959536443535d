package carrier

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"strings"
)

// Key is one private key of the client, as read from its file.
type Key struct {
	ID  string // the JWT header kid: "key identifier of the issued public key" (spec §5)
	PEM []byte // PKCS#1 or PKCS#8, RSA of 2048 bits or more
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

const (
	minKeyBits  = 2048
	maxKeyBits  = 16384    // larger keys take seconds per signature
	maxKeyFile  = 16 << 10 // bytes; a 16384-bit key has 13 KiB
	minExponent = 3
	maxKeyID    = 256
)

// ParseKey reads one RSA private key of 2048 bits or more from PEM, in PKCS#1 or PKCS#8. Anything
// else is a [KeyError]: another type of key, an encrypted key, two keys, or trailing data.
func ParseKey(file []byte) (*rsa.PrivateKey, error) {
	block, err := onlyBlock(file)
	if err != nil {
		return nil, err
	}
	key, err := parseBlock(block)
	if err != nil {
		return nil, err
	}
	if err := checkKey(key); err != nil {
		return nil, err
	}
	return key, nil
}

func defect(text string) error { return &KeyError{Defect: text} }

// onlyBlock requires exactly one PEM block: with two keys it would be unclear which one signs.
func onlyBlock(file []byte) (*pem.Block, error) {
	if len(file) > maxKeyFile {
		return nil, defect("the file is larger than 16 KiB")
	}
	trimmed := bytes.TrimSpace(file)
	if len(trimmed) == 0 {
		return nil, defect("it is empty")
	}
	if !bytes.HasPrefix(trimmed, []byte("-----BEGIN ")) {
		return nil, defect("it does not start with a PEM block")
	}
	block, rest := pem.Decode(trimmed)
	switch {
	case block == nil:
		return nil, defect("its PEM block is cut off or damaged")
	case len(bytes.TrimSpace(rest)) > 0:
		return nil, defect("something follows its PEM block: exactly one key is needed")
	case strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
		return nil, defect("it is encrypted: store it without a passphrase")
	}
	return block, nil
}

// parseBlock parses the key in a block and overwrites the block, so that memory has one copy less.
func parseBlock(block *pem.Block) (*rsa.PrivateKey, error) {
	defer clear(block.Bytes)
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
		if err != nil {
			return nil, defect("it is not a sound PKCS#1 RSA key")
		}
		return key, nil
	case "PRIVATE KEY":
		return parsePKCS8(block.Bytes)
	}
	return nil, defect(pemDefect(block.Type))
}

// pemDefect explains PEM blocks that are often used by mistake in place of a private key.
func pemDefect(kind string) string {
	switch {
	case strings.HasPrefix(kind, "EC "):
		return "it is an elliptic curve key, but the carrier takes RS256 only: an RSA key is needed"
	case strings.HasPrefix(kind, "OPENSSH "):
		return "it is in OpenSSH's own format: convert it with ssh-keygen -p -m PEM"
	case strings.HasPrefix(kind, "ENCRYPTED "):
		return "it is encrypted: store it without a passphrase"
	case strings.HasSuffix(kind, "PUBLIC KEY"):
		return "it is a public key, the private key is needed"
	case strings.Contains(kind, "CERTIFICATE"):
		return "it is a certificate, the private key is needed"
	}
	return "its PEM block is not an RSA private key in PKCS#1 or PKCS#8"
}

func parsePKCS8(der []byte) (*rsa.PrivateKey, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, defect("it is not a sound PKCS#8 key")
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, defect("it is not an RSA key, but the carrier takes RS256 only")
	}
	return key, nil
}

func checkKey(key *rsa.PrivateKey) error {
	bits := key.N.BitLen()
	switch {
	case bits < minKeyBits:
		return defect(fmt.Sprintf("it has %d bits, at least %d are needed", bits, minKeyBits))
	case bits > maxKeyBits:
		return defect(fmt.Sprintf("it has %d bits, at most %d are taken", bits, maxKeyBits))
	case key.E < minExponent:
		return defect("its public exponent is too small")
	}
	if err := key.Validate(); err != nil {
		return defect("its numbers do not fit together")
	}
	return nil
}

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
