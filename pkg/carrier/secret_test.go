package carrier

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// TestNoFormatPrintsASecret (89): a value of this package that is printed, logged, encoded or
// passed to panic, in any format, shows neither a line of the key nor a token nor an assertion.
func TestNoFormatPrintsASecret(t *testing.T) {
	a := newTokenSetup(t)
	var assertion string
	a.respond = func(token *jwt.Token) (int, string) {
		assertion = token.Raw
		return http.StatusOK, tokenResponse(canaryToken, 300)
	}
	token := a.mustToken(t)
	a.source.Invalidate(Token{}) // only waits until the exchange has released the source's lock
	client := testClient(t, "https://carrier.example", func(c *Config) { c.Tokens = a.source })
	canaries := []string{canaryToken, assertion}
	for line := range strings.Lines(string(pkcs1(testRSA()))) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			canaries = append(canaries, line)
		}
	}
	for name, value := range map[string]any{
		"a token": token, "a list of tokens": []Token{token}, "a map of keys": map[string]Key{"k": (*a.keys.Load())[0]},
		"the source": a.source, "what it was granted": a.source.current, "its configuration": a.source.config,
		"a client": client, "its configuration, too": Config{Tokens: a.source},
		"a context": withToken(t.Context(), token), "a response": response{token: token, err: errNoStatus},
		"an error of the network": errors.Join(withToken(t.Context(), token).Err(), a.unreachableErr(t)),
	} {
		t.Run(name, func(t *testing.T) {
			shown := allFormats(value)
			for _, canary := range canaries {
				if strings.Contains(shown, canary) {
					t.Errorf("%.20s... is shown", canary)
				}
			}
		})
	}
}

// unreachableErr is the error of an exchange without a response, to which net/http adds the
// address.
func (a *tokenSetup) unreachableErr(t *testing.T) error {
	t.Helper()
	gone := newTokenSetup(t, func(c *TokenConfig) { c.TokenURL = "http://127.0.0.1:1/auth/realms/r" + protocolPart })
	gone.keys.Store(a.keys.Load())
	_, err := gone.source.Token(context.WithoutCancel(t.Context()))
	return err
}

// allFormats returns a value as formatted by fmt, encoding/json, log/slog and a panic.
func allFormats(value any) string {
	var shown bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&shown, verb+"\n", value)
	}
	encoded, err := json.Marshal(value)
	fmt.Fprintf(&shown, "%s %v\n", encoded, err) // a value that cannot be encoded as JSON shows nothing in it
	log := slog.New(slog.NewJSONHandler(&shown, nil))
	log.Error("all of it", "value", value, "error", fmt.Errorf("it is about %v", value))
	slog.New(slog.NewTextHandler(&shown, nil)).Error("all of it", "value", value)
	func() {
		defer func() { fmt.Fprintf(&shown, "panic: %v %+v", recover(), value) }()
		panic(value)
	}()
	return shown.String()
}
