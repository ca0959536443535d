package carrier

import (
	"encoding/base64"
	"slices"
	"strings"
)

// isForAnother reports whether an access token says that it was granted to another client. A
// JWT names its client in client_id (RFC 9068 section 2.2), azp (OpenID Connect), or a claim
// of some products. An identity provider chosen by the author of an account could issue the
// token of another client, which the carrier accepts.
//
// Nothing is verified here. If the carrier accepts the token, the carrier has verified its
// content.
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
		Okta     string `json:"cid"`
		Entra    string `json:"appid"`
	}
	if err := readObject(claims, &named); err != nil {
		return false
	}
	return slices.ContainsFunc([]string{named.ClientID, named.Party, named.Okta, named.Entra}, func(name string) bool {
		return name != "" && name != client
	})
}
