package carrier

import (
	"crypto/rsa"

	"github.com/golang-jwt/jwt/v5"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/rsakey"
)

// Signer returns the RS256 signature of a text with a key. Its error is a [KeyError].
type Signer func(key Key, text string) ([]byte, error)

// Sign is the [Signer] that parses the key for each signature and keeps nothing of it.
func Sign(key Key, text string) ([]byte, error) {
	private, err := parseKey(key)
	if err != nil {
		return nil, err
	}
	signature, err := jwt.SigningMethodRS256.Sign(text, private)
	if err != nil {
		return nil, &KeyError{ID: key.ID, Defect: "it cannot sign"}
	}
	return signature, nil
}

func parseKey(key Key) (*rsa.PrivateKey, error) {
	if err := checkKeyID(key.ID); err != nil {
		return nil, err
	}
	private, err := rsakey.Parse(key.PEM)
	if err != nil {
		return nil, &KeyError{ID: key.ID, Defect: err.Error()}
	}
	return private, nil
}
