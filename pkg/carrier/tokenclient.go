package carrier

import (
	"encoding/base64"
	"strings"
)

// isForAnother reports whether an access token says that it was granted to another client: a JWT names
// its client in client_id (RFC 9068 section 2.2) or azp (OpenID Connect). An identity provider that
// the author of an account has chosen could hand out the token of another client, which the carrier
// accepts.
//
// Nothing is verified here. If the carrier accepts the token, the carrier has verified what it says.
func isForAnother(accessToken, client string) bool {
	parts := strings.Split(accessToken, ".")
	if len(parts) != 3 {
		return false
	}
	claims, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return false
	}
	var named struct {
		ClientID string `json:"client_id"`
		Party    string `json:"azp"`
	}
	if err := readObject(claims, &named); err != nil {
		return false
	}
	return named.ClientID != "" && named.ClientID != client || named.Party != "" && named.Party != client
}
