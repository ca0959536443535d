package rsakey

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"strings"
	"testing"
)

// Anyone who writes a Secret must not decide how long a signature takes the processor from others.
func TestKeysThatSignSlowlyAreRefused(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]*rsa.PrivateKey{
		"3 primes":  must(rsa.GenerateMultiPrimeKey(rand.Reader, 3, 2048)), //nolint:staticcheck // others may
		"4224 bits": must(rsa.GenerateKey(rand.Reader, 4224)),
	} {
		_, err := Parse(pemBlock("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
