package carrier

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func carriersWord(tb testing.TB) word {
	tb.Helper()
	w, err := newWord("abc")
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

func TestWordOnTheWire(t *testing.T) {
	w := carriersWord(t)
	for spec, wire := range map[string]string{
		`{"wholesaleLocationId":"LOC1"}`:                  `{"abcLocationId":"LOC1"}`,
		`{"result":{"wholesale_test_id":"1"}}`:            `{"result":{"abc_test_id":"1"}}`,
		`{"ntdInstallation": "wholesale-tech"}`:           `{"ntdInstallation": "abc-tech"}`,
		`{"option":"wholesale-no-action"}`:                `{"option":"abc-no-action"}`,
		`{"sourceType":"wholesale"}`:                      `{"sourceType":"abc"}`,
		`{"provider":"wholesale","id":1}`:                 `{"provider":"abc","id":1}`,
		`{"name":"WHOLESALE_TECHNICIAN_FOR_INSTALL"}`:     `{"name":"ABC_TECHNICIAN_FOR_INSTALL"}`,
		`{"installationOptions":["wholesale-tech","x"]}`:  `{"installationOptions":["abc-tech","x"]}`,
		`{"field":"wholesaleLocationId"}`:                 `{"field":"abcLocationId"}`,
		`[{"option":"wholesale-tech"},{"a":["b"]}]`:       `[{"option":"abc-tech"},{"a":["b"]}]`,
		`{"sourceType":"wholesale","a":{"b":[{}]},"c":1}`: `{"sourceType":"abc","a":{"b":[{}]},"c":1}`,
	} {
		if got := string(w.toWire([]byte(spec))); got != wire {
			t.Errorf("toWire(%s) = %s, want %s", spec, got, wire)
		}
		if got := string(w.fromWire([]byte(wire))); got != spec {
			t.Errorf("fromWire(%s) = %s, want %s", wire, got, spec)
		}
	}
}

func TestWordLeavesEverythingElse(t *testing.T) {
	w := carriersWord(t)
	for _, body := range []string{
		`{"message":"abc says no","description":"abc-tech","rejectedReason":"abc","alertMessage":"ABC_X"}`,
		`{"customerRef":"abc-tech","customerReference":"abc","planName":"abc"}`,
		`{"name":"abc","name":"abc-tech","name":"ABC Broadband"}`,
		`{"sourceType":"abcd","sourceType":"abc tech","sourceType":"abc-Tech","sourceType":"ABC_"}`,
		`{"abcdef":1,"abc":2,"ABC_KEY":3,"xabcId":4}`,
		`{"sourceType":["x",{"message":"abc"}]}`,
		`{"a":"\"sourceType\":\"abc\""}`,
		`<html>abc "sourceType abc`,
		`"abc\"`, `"`, ``, `abc`, `}}]]"abc"`,
	} {
		if got := string(w.fromWire([]byte(body))); got != body {
			t.Errorf("fromWire(%s) = %s", body, got)
		}
	}
}

func TestWordIsChecked(t *testing.T) {
	for own, want := range map[string]bool{
		"": true, specWord: true, "nbn": true, "a1": true, strings.Repeat("a", 32): true,
		"1a": false, "NBN": false, "n-b": false, "n b": false, `n"`: false, strings.Repeat("a", 33): false, "ñ": false,
	} {
		if _, err := newWord(own); (err == nil) != want {
			t.Errorf("newWord(%q) = %v, want success %t", own, err, want)
		}
	}
}

func TestWordOfGoldensSurvivesTheWire(t *testing.T) {
	w := carriersWord(t)
	for name := range goldens() {
		spec := golden(t, name)
		wire := w.toWire(spec)
		if strings.Contains(strings.ToLower(string(wire)), specWord) {
			t.Errorf("%s: the specification's word is on the wire", name)
		}
		if got := w.fromWire(wire); !bytes.Equal(got, spec) {
			t.Errorf("%s does not survive: %s", name, got)
		}
	}
}

func TestClientSpeaksTheCarriersWord(t *testing.T) {
	var sent []byte
	carrier := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			printTo(rw, `{"abcQuoteId":"Q1","name":"abc"}`)
			return
		}
		sent = readAll(t, io.LimitReader(r.Body, maxBodyBytes))
		answers(201, `{"id":8,"provider":"abc","installationType":"abc-tech"}`)(rw, r)
	})
	client := testClient(t, carrier.URL, func(c *Config) { c.Word = "abc" })
	body := OrderRequest{NTDInstallation: InstallTech, CustomerReference: "wholesale-tech"}.Body()
	receipt := client.Submit(t.Context(), OrderCreate, 8, body, true)
	want := `{"sourceType":"abc","infrastructureId":null,"ntdInstallation":"abc-tech",` +
		`"customerReference":"wholesale-tech"}`
	if string(sent) != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
	order, err := DecodeOrder(receipt.Body)
	if err != nil || order.Provider != specWord || order.InstallationType != InstallTech {
		t.Errorf("order %+v, %v", order, err)
	}
	outcome, err := client.Poll(t.Context(), Handle{FibreBuildCharge, 8, "1"})
	if err != nil {
		t.Fatal(err)
	}
	quote, err := DecodeFibreBuildCharge(outcome.Body)
	if err != nil || quote.WholesaleQuoteID != "Q1" || quote.Name != "abc" {
		t.Errorf("quote %+v, %v", quote, err)
	}
}

func FuzzWord(f *testing.F) {
	for name := range goldens() {
		f.Add(golden(f, name))
	}
	for _, seed := range []string{
		`"wholesale\`, `{"sourceType":"wholesale`, `[[{"option":["wholesale-tech"]}]]`, `}"wholesaleX":`,
	} {
		f.Add([]byte(seed))
	}
	w := carriersWord(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		if containsFold(body, "abc") {
			t.Skip("the carrier's word cannot be told from the specification's")
		}
		wire := w.toWire(body)
		if got := w.fromWire(wire); !bytes.Equal(got, body) {
			t.Fatalf("%q came back as %q, over %q", body, got, wire)
		}
		if json.Valid(body) != json.Valid(wire) {
			t.Fatalf("%q became %q", body, wire)
		}
	})
}

func containsFold(body []byte, text string) bool {
	return bytes.Contains(bytes.ToLower(body), []byte(text))
}

func BenchmarkWord(b *testing.B) {
	w := carriersWord(b)
	wire := w.toWire(golden(b, "qualification.json"))
	b.SetBytes(int64(len(wire)))
	b.ReportAllocs()
	for b.Loop() {
		w.fromWire(wire)
	}
}

func BenchmarkDecodeQualification(b *testing.B) {
	body := golden(b, "qualification.json")
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeQualification(body); err != nil {
			b.Fatal(err)
		}
	}
}
