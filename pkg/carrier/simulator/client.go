package simulator

import (
	"crypto/rsa"
	"fmt"

	"github.com/golang-jwt/jwt/v5"
)

// client is a reseller with its keys parsed.
type client struct {
	Client

	keys parsedKeys
}

// parsedKeys are public keys by kid.
type parsedKeys map[string]*rsa.PublicKey

// parseKeys parses keys in PEM.
func parseKeys(texts map[string]string) (parsedKeys, error) {
	keys := make(parsedKeys, len(texts))
	for kid, text := range texts {
		key, err := jwt.ParseRSAPublicKeyFromPEM([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kid, err)
		}
		keys[kid] = key
	}
	return keys, nil
}
