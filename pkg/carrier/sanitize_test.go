package carrier

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/identifier"
)

// TestErrorsAreSafeForAConditionMessage: the text of every error of the package is one line of
// printable characters, of bounded length, without secrets, whatever a server or a user put into
// it.
func TestErrorsAreSafeForAConditionMessage(t *testing.T) {
	const canary = "eyJhbGciOiJSUzI1NiJ9.eyJqdGkiOiJjYW5hcnkifQ.c2lnbmF0dXJl"
	evil := strings.Repeat("\x1b[31m\u202e\r\n\x00\xff"+canary+" ada@mail.example ", 500)
	kid := strings.ReplaceAll(evil, "ada@mail.example", "") // a key ID may contain an @
	client := func(c Config) error {
		_, err := NewClient(c)
		return err
	}
	tokenSource := func(address string) error {
		_, err := NewTokenSource(TokenConfig{TokenURL: address})
		return err
	}
	_, keyErr := Sign(Key{ID: "kid", PEM: []byte(evil)}, "")
	_, locationErr := ParseLocation(PlanChange, 8, evil)
	_, decodeErr := DecodePlanChange([]byte(evil))
	_, idErr := DecodeOrder([]byte(`{"id":"` + canary + `"}`))
	_, wordErr := identifier.NewWord(evil)
	for name, err := range map[string]error{
		"a token error":     &TokenError{Reason: TokenUnreachable, Message: "m", cause: errors.New(evil)},
		"a key error":       keyErr,
		"an invalid key id": checkKeyID(kid),
		"a long key id":     &TokenError{Message: "m", KeyID: excerpt(kid), cause: checkKeyID(kid)},
		"a location":        locationErr,
		"a base address":    client(Config{BaseURL: evil}),
		"another one":       client(Config{BaseURL: "https://host/" + strings.Repeat("%1b", 10_000)}),
		"a token address":   tokenSource("https://host/" + strings.Repeat("a", 10_000)),
		"a body":            decodeErr,
		"an id":             idErr,
		"a word":            wordErr,
		"a version":         PlanChangeRequest{RestorationSLA: evil}.Check(1),
		"a missing field":   PlanChangeRequest{NTDOption: evil}.Check(8),
		"no response":       unreachable(call{operation: PlanChange}, response{err: errors.New(evil)}),
		"an error body":     readError(fmt.Appendf(nil, `{"message":%s}`, encode(evil)), nil),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		checkDisplayable(t, err.Error())
		for _, secret := range []string{canary, "ada@", "\n"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s shows %q: %.200s", name, secret, err)
			}
		}
		if len(err.Error()) > 3*maxMessage {
			t.Errorf("%s: %d bytes", name, len(err.Error()))
		}
	}
}

// TestSummaryIsSafeToDisplay: the status and the error detail of a request in progress are shown.
func TestSummaryIsSafeToDisplay(t *testing.T) {
	text := encode("\x1b[31m\u202e" + strings.Repeat("ada@mail.example\n", 1000))
	body := fmt.Appendf(nil, `{"id":7,"status":%s,"serviceStatus":"OPEN","errorDetail":%s}`, text, text)
	summary, err := DecodeSummary(AggregationConversion, body)
	if err != nil || summary.ID != 7 || summary.Status == "" || strings.Contains(summary.ErrorDetail, "ada@") {
		t.Errorf("%+v, %v", summary, err)
	}
	if len(summary.Status) > maxStatus || len(summary.ErrorDetail) > maxMessage {
		t.Errorf("%d bytes of a status and %d of a detail", len(summary.Status), len(summary.ErrorDetail))
	}
	checkDisplayable(t, summary.Status)
	checkDisplayable(t, summary.ErrorDetail)
}

// TestNotesAreSafeToDisplay: a note quotes the Location, which may contain our token.
func TestNotesAreSafeToDisplay(t *testing.T) {
	for _, location := range []string{
		"https://" + canaryToken + ".example" + requests + "5", requests + canaryToken,
		"/" + canaryToken + "\x1b", canaryToken,
		"https://" + strings.Repeat("a", 10_000) + requests + "5", "//" + canaryToken + "@evil.example" + requests + "5",
	} {
		client := testClient(t, serve(t, located(201, location)).URL)
		receipt := client.Submit(t.Context(), PlanChange, 8, planChange.Body())
		shown := receipt.Note
		if receipt.Err != nil {
			shown += receipt.Err.Error()
		}
		checkDisplayable(t, shown)
		if shown == "" || strings.Contains(shown, canaryToken) || len(shown) > 3*maxMessage {
			t.Errorf("Location %.60q: note %q, error %v", location, receipt.Note, receipt.Err)
		}
	}
}

// TestResultsNeverPrintContacts: neither results nor requests show personal data, in any verb or
// encoding.
func TestResultsNeverPrintContacts(t *testing.T) {
	order := OrderRequest{
		CustomerReference: "SITE-014", ContactName: "Contact Name", ContactPhone: "0400000000",
		ContactEmail: "contact@example.com",
	}
	shown := fmt.Sprintf("%v %+v %#v %s %d %v", order, order, order, &order, []any{order}, order.LogValue())
	if !strings.Contains(shown, "SITE-014") {
		t.Errorf("the order cannot be identified: %s", shown)
	}
	for name, decodeGolden := range goldens() {
		result, err := decodeGolden(golden(t, name))
		if err != nil {
			t.Fatal(err)
		}
		encodedResult, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		shown += fmt.Sprintf("%v %+v %#v %s %q %x %s", result, result, result, result, result, result, encodedResult)
	}
	contacts := []string{"Contact Name", "0400000000", "contact@", "User Name", "user@", "Other Name", "other@"}
	for _, contact := range contacts {
		if strings.Contains(shown, contact) || strings.Contains(shown, fmt.Sprintf("%x", contact)) {
			t.Errorf("%q is shown", contact)
		}
	}
}

func TestAccessors(t *testing.T) {
	if n, ok := Number("9007199254740993").Int(); !ok || n != 9007199254740993 {
		t.Errorf("a whole number is %d, %t", n, ok)
	}
	if n, ok := Number("1.5").Int(); ok {
		t.Errorf("a fraction is %d", n)
	}
	if text, err := NewSecret("canary").MarshalText(); string(text) != redacted || err != nil {
		t.Errorf("a secret is %s, %v", text, err)
	}
}

func TestSanitize(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                  "plain",
		"\tspace\t":              "space",
		"a\x1b[31mred\x1b[0m":    "a [31mred [0m",
		"line\r\nbreak\tand\x00": "line  break and",
		"\u202eevil\u2066\u200b": "evil",
		"soft\u00adhyphen":       "softhyphen",
		"two\u2028lines":         "two lines",
		"bad\xff\xfebytes":       "bad\ufffdbytes",
		"日本語":                    "日本語",
	} {
		if got := sanitize(text, maxMessage); got != want {
			t.Errorf("sanitize(%q) = %q, want %q", text, got, want)
		}
	}
	long := sanitize(strings.Repeat("語", 10_000), maxMessage)
	if len(long) > maxMessage || !utf8.ValidString(long) || !strings.HasSuffix(long, "…") {
		t.Errorf("a long text became %d bytes, ending in %q", len(long), long[len(long)-6:])
	}
}

func TestScrub(t *testing.T) {
	scrub := scrubber{"token-1", "Ada Lovelace", "x", ""}
	for text, want := range map[string]string{
		"the token-1 was refused":             "the REDACTED was refused",
		"contact Ada Lovelace":                "contact REDACTED",
		"mail to ada@mail.example now":        "mail to REDACTED now",
		"jwt eyJhbGciOi.eyJqdGkiOi.c2ln here": "jwt REDACTED here",
		"nothing to redact: box":              "nothing to redact: box",
	} {
		if got := scrub.scrub(text); got != want {
			t.Errorf("scrub(%q) = %q, want %q", text, got, want)
		}
	}
}
