package carrier

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCheckKeyID(t *testing.T) {
	for id, want := range map[string]bool{
		"2f6a-01_b.C=": true, "": false, `a"b`: false, "a\nb": false, "a b": false, `a\b`: false, "ключ": false,
		strings.Repeat("k", 256): true, strings.Repeat("k", 257): false, strings.Repeat("k", 10<<10): false,
	} {
		if err := checkKeyID(id); (err == nil) != want {
			t.Errorf("checkKeyID(%.20q) = %v, want success %t", id, err, want)
		}
	}
}

func TestKeyNeverPrintsItsContent(t *testing.T) {
	key := Key{ID: "kid", PEM: []byte("canary-pem")}
	encoded, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		encoded = fmt.Appendf(encoded, verb, key)
	}
	encoded = fmt.Append(encoded, key.LogValue(), []Key{key}, &key)
	inBase64 := base64.StdEncoding.EncodeToString([]byte("canary"))
	for _, canary := range []string{"canary", fmt.Sprintf("%x", "canary"), inBase64} {
		if bytes.Contains(encoded, []byte(canary)) {
			t.Errorf("%q shows %q", encoded, canary)
		}
	}
}

func TestSecretNeverPrints(t *testing.T) {
	secret := NewSecret("canary-secret")
	token := Token{AccessToken: secret}
	shown, err := json.Marshal([]any{secret, &secret, token.AccessToken})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		shown = fmt.Appendf(shown, verb+verb, token, secret)
	}
	shown = fmt.Append(shown, secret.LogValue(), secret.String(), secret.GoString())
	for _, canary := range []string{"canary", fmt.Sprintf("%x", "canary"), fmt.Sprintf("%X", "canary")} {
		if bytes.Contains(shown, []byte(canary)) {
			t.Errorf("%s shows %q", shown, canary)
		}
	}
	if secret.Reveal() != "canary-secret" {
		t.Error("Reveal does not reveal")
	}
}
