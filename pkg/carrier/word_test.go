package carrier

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/identifier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

func TestClientTranslatesTheCarriersWord(t *testing.T) {
	var sent []byte
	carrier := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			printTo(rw, `{"abcQuoteId":"Q1","name":"abc"}`)
			return
		}
		sent = readAll(t, io.LimitReader(r.Body, maxBodyBytes))
		respond(201, `{"id":8,"provider":"abc","installationType":"abc-tech"}`)(rw, r)
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
	if err != nil || order.Provider != identifier.SpecWord || order.InstallationType != InstallTech {
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

// TestFirstWordsOfKeysAreReserved: a word that is a prefix of keys of the specification would
// change those keys; every such word is known.
func TestFirstWordsOfKeysAreReserved(t *testing.T) {
	orders := OrderRequest{
		PlanName: "a", Term: 1, TrafficClass: "a", RemoteQualificationSearchID: "a", QualificationSearchID: "a",
		LocationID: "a", RemoteOrderID: "a", ProductType: "a", RestorationSLA: "a", ContactName: "a", PortID: 1,
		RequireVLAN: new(bool), VLANID: 1, NTDInstallation: "a", CustomerReference: "a", AggregationMethod: "a",
		AVCIDForTransfer: "a", TransferType: "a",
	}
	documents := goldens()
	bodies := make([][]byte, 0, len(documents)+7)
	bodies = append(bodies,
		orders.Body(), AppointmentCancelRequest{1}.Body(), AppointmentSlotsRequest{"a", 1}.Body(), healthBody,
		CancellationRescheduleRequest{1, "a"}.Body(), DiagnosticTestRequest{1, "a"}.Body(), golden(t, "error-422.json"),
	)
	for name := range documents {
		bodies = append(bodies, golden(t, name))
	}
	for _, body := range bodies {
		for first := range firstWords(jsondoc.Value(bytes.TrimSpace(body))) {
			if _, err := identifier.NewWord(first); err == nil && first != identifier.SpecWord {
				t.Errorf("%q was accepted as an identifier word, but keys begin with it", first)
			}
		}
	}
}

// firstWords are the first words of the keys of a document, of keys with several words.
func firstWords(d jsondoc.Value) map[string]bool {
	words := make(map[string]bool)
	for key, value := range d.Members() {
		end := strings.IndexFunc(key, func(r rune) bool { return r == '_' || 'A' <= r && r <= 'Z' })
		if end > 0 && key[0] >= 'a' {
			words[key[:end]] = true
		}
		maps.Copy(words, firstWords(value))
	}
	for element := range d.Elements() {
		maps.Copy(words, firstWords(element))
	}
	return words
}
