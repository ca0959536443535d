// Package rsakey reads the RSA private keys that sign assertions.
package rsakey

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

const (
	minBits     = 2048
	maxBits     = 4096 // a signature takes some milliseconds; twice as many bits take eight times as long
	maxPrimes   = 2    // with more, Go signs without the Chinese remainder theorem, which takes seconds
	maxFile     = 16 << 10
	minExponent = 3
)

// Parse reads one RSA private key of 2048 to 4096 bits from PEM, in PKCS#1 or PKCS#8. Anything
// else is an error: another type of key, an encrypted key, two keys, or trailing data. The error
// states what is wrong, without the content.
func Parse(file []byte) (*rsa.PrivateKey, error) {
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

// onlyBlock requires exactly one PEM block, because with two keys it would be unclear which one
// signs.
func onlyBlock(file []byte) (*pem.Block, error) {
	if len(file) > maxFile {
		return nil, errors.New("the file is larger than 16 KiB")
	}
	trimmed := bytes.TrimSpace(file)
	if len(trimmed) == 0 {
		return nil, errors.New("it is empty")
	}
	if !bytes.HasPrefix(trimmed, []byte("-----BEGIN ")) {
		return nil, errors.New("it does not start with a PEM block")
	}
	block, rest := pem.Decode(trimmed)
	switch {
	case block == nil:
		return nil, errors.New("its PEM block is cut off or damaged")
	case len(bytes.TrimSpace(rest)) > 0:
		return nil, errors.New("something follows its PEM block: exactly one key is needed")
	case strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED"):
		return nil, errors.New("it is encrypted: store it without a passphrase")
	}
	return block, nil
}

// parseBlock parses the key in a block and overwrites the block, so that fewer copies stay in
// memory.
func parseBlock(block *pem.Block) (*rsa.PrivateKey, error) {
	defer clear(block.Bytes)
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
		if err != nil {
			return nil, errors.New("it is not a sound PKCS#1 RSA key")
		}
		return key, nil
	case "PRIVATE KEY":
		return parsePKCS8(block.Bytes)
	}
	return nil, errors.New(pemDefect(block.Type))
}

// pemDefect explains PEM blocks that are often used by mistake in place of a private key.
func pemDefect(kind string) string {
	switch {
	case strings.HasPrefix(kind, "EC "):
		return "it is an elliptic curve key, but the carrier accepts RS256 only: an RSA key is needed"
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
		return nil, errors.New("it is not a sound PKCS#8 key")
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("it is not an RSA key, but the carrier accepts RS256 only")
	}
	return key, nil
}

func checkKey(key *rsa.PrivateKey) error {
	bits := key.N.BitLen()
	switch {
	case bits < minBits:
		return fmt.Errorf("it has %d bits, at least %d are needed", bits, minBits)
	case bits > maxBits:
		return fmt.Errorf("it has %d bits, at most %d are allowed", bits, maxBits)
	case len(key.Primes) > maxPrimes:
		return fmt.Errorf("it has %d primes, at most %d are allowed", len(key.Primes), maxPrimes)
	case key.E < minExponent:
		return errors.New("its public exponent is too small")
	}
	if err := key.Validate(); err != nil {
		return errors.New("its numbers are inconsistent")
	}
	return nil
}
