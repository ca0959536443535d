package carrier

import (
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The issue time in an assertion is assertionBackdating before its creation, because an
// identity provider whose clock is slightly behind ours may refuse an assertion from the
// future. An assertion is valid for assertionLifetime from its issue time. This is too short
// to be useful to a thief, and long enough for clocks that differ slightly.
const (
	assertionBackdating = 5 * time.Second
	assertionLifetime   = 60 * time.Second
)

// assertion is the payload of one signed JWT (spec §5). A JWT can be used once, so each has its own
// id.
type assertion struct {
	id       string    // jti: a GUID
	client   string    // iss and sub
	audience string    // aud: the realm address
	now      time.Time // by the identity provider's clock
}

// sign returns the JWT with the key's id in its header. The signing method is RS256, the only
// one that the carrier accepts (spec §5).
func (a assertion) sign(signer Signer, key Key) (string, error) {
	issued := a.now.Add(-assertionBackdating)
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"jti": a.id,
		"iss": a.client,
		"sub": a.client,
		"aud": a.audience, // one string: the specification has one address, not a list
		"iat": issued.Unix(),
		"nbf": issued.Unix(),
		"exp": issued.Add(assertionLifetime).Unix(),
	})
	token.Header["kid"] = key.ID
	text, err := token.SigningString()
	if err != nil {
		return "", fmt.Errorf("encode the assertion: %w", err)
	}
	signature, err := signer(key, text)
	if err != nil {
		return "", err
	}
	return text + "." + token.EncodeSegment(signature), nil
}
