// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// A 404 for the options of one service must not stop the calls for all others, however often it comes.
func TestASuspectTokenIsReplacedOnceAMinuteAndDelaysNothing(t *testing.T) {
	a := newTokenSetup(t)
	number := 0
	a.respond = func(*jwt.Token) (int, string) {
		number++
		return http.StatusOK, tokenResponse(fmt.Sprint("at-", number), 300)
	}
	for range 10 {
		held := a.mustToken(t)
		a.source.Suspect(Token{})
		a.source.Suspect(Token{AccessToken: NewSecret("another")})
		a.source.Suspect(held)
		if a.mustToken(t).AccessToken != held.AccessToken {
			t.Fatal("a token that was just granted is replaced")
		}
		a.clock.advance(suspectAge)
		a.source.Suspect(held)
		if a.mustToken(t).AccessToken == held.AccessToken {
			t.Fatal("a token that is a minute old is kept")
		}
	}
	if got := a.exchanges(); got != 11 {
		t.Errorf("%d exchanges, want 11", got)
	}
	a.source.Invalidate(a.mustToken(t))
	held := a.mustToken(t)
	a.clock.advance(suspectAge)
	a.source.Suspect(held)
	a.source.Invalidate(a.mustToken(t)) // not the second in a row: another token was used in between
	a.mustToken(t)
}

func TestSubmitInvalidatesARefusedToken(t *testing.T) {
	for _, test := range []struct {
		op        Operation
		status    int
		want      int
		suspected int
	}{
		{PlanChange, 401, 1, 0},
		{PlanOptions, 404, 0, 1},
		{PlanOptions, 401, 1, 0},
		{PlanChange, 404, 0, 0},
		{PlanOptions, 403, 0, 0},
		{PlanChange, 500, 0, 0},
	} {
		tokens := &staticTokens{}
		carrier := serve(t, respond(test.status, ""))
		client := testClient(t, carrier.URL, func(c *Config) { c.Tokens = tokens })
		client.Submit(t.Context(), test.op, 8, planChange.Body())
		if got := tokens.invalidations(); got != test.want {
			t.Errorf("%s answered %d: %d tokens invalidated, want %d", test.op, test.status, got, test.want)
		}
		if got := tokens.suspicions(); got != test.suspected {
			t.Errorf("%s answered %d: %d tokens suspected, want %d", test.op, test.status, got, test.suspected)
		}
	}
}
