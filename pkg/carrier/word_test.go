package carrier

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	receipt := client.Submit(t.Context(), OrderCreate, 8, body)
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

// TestQualificationsAreReadInEitherWord: the carrier's document has its own word, and a document
// that a person wrote may have the specification's.
func TestQualificationsAreReadInEitherWord(t *testing.T) {
	byPerson := []byte(`{"sourceType":"wholesale","infrastructureInstallationOptions":[{"option":"wholesale-tech",` +
		`"fees":[{"name":"WHOLESALE_TECHNICIAN_FOR_INSTALL","oneTimeCharge":{"amount":"5.00"}}]}],` +
		`"newDevelopmentsCharge":{"description":"wholesale"}}`)
	want, err := DecodeQualification("", byPerson)
	if err != nil || want.InstallationOptions[0].Option != InstallTech {
		t.Fatalf("%+v, %v", want, err)
	}
	byCarrier := strings.NewReplacer("wholesale", "abc", "WHOLESALE", "ABC").Replace(string(byPerson))
	for name, document := range map[string][]byte{"the carrier": []byte(byCarrier), "a person": byPerson} {
		got, err := DecodeQualification("abc", document)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("as %s writes it (-want +got):\n%s%v", name, diff, err)
		}
	}
	if _, err := DecodeQualification("service", byPerson); err == nil {
		t.Error("a word with which keys of the specification begin was accepted")
	}
}

// TestResultOfATestIsAsTheCarrierWroteIt: a result is not translated, because people compare it
// with what the carrier says. A failure is translated.
func TestResultOfATestIsAsTheCarrierWroteIt(t *testing.T) {
	status := http.StatusOK
	carrier := serve(t, func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(status)
		printTo(rw, `{"serviceId":1,"result":{"result":{"abc_test_id":"WRI1","wholesale_test_id":"own"}},`+
			`"httpStatusCode":422,"type":"business.rule","code":"validation",`+
			`"apiSubErrors":[{"code":"c","field":"abcLocationId"}]}`)
	})
	client := testClient(t, carrier.URL, func(c *Config) { c.Word = "abc" })
	outcome, err := client.Poll(t.Context(), Handle{DiagnosticTest, 8, "1"})
	if err != nil {
		t.Fatal(err)
	}
	run, err := DecodeDiagnosticTest(outcome.Body)
	if want := `{"abc_test_id":"WRI1","wholesale_test_id":"own"}`; err != nil || string(run.Result.Result) != want {
		t.Errorf("result %s, %v; want %s", run.Result.Result, err, want)
	}
	status = http.StatusUnprocessableEntity
	outcome, err = client.Poll(t.Context(), Handle{DiagnosticTest, 8, "1"})
	if err != nil || outcome.Err.SubErrors[0].Field != "wholesaleLocationId" {
		t.Errorf("%+v, %v", outcome, err)
	}
}

func TestFurtherFieldsOfAnOrderAreSentInTheOrderOfTheirNames(t *testing.T) {
	request := OrderRequest{
		TransferType: ServiceTransfer, POTSServiceOwner: new(bool), POTSWaiver: new(true), QuoteName: "Q<1>",
		NTDOption: "NTD_2.5",
		Extra:     []ExtraField{{"wholesaleZone", `"wholesale"`}, {"b", "2.50"}, {"a", "true"}},
	}
	const want = `"transferType":"SERVICE_TRANSFER","potsServiceOwner":false,"potsWaiver":true,` +
		`"quoteName":"Q\u003c1\u003e","ntdOption":"NTD_2.5","a":true,"b":2.50,"wholesaleZone":"wholesale"}`
	body := request.Body()
	if !strings.HasSuffix(string(body), want) {
		t.Errorf("%s", body)
	}
	slices.Reverse(request.Extra)
	if again := request.Body(); !bytes.Equal(again, body) {
		t.Errorf("in another order: %s", again)
	}
	word, err := identifier.NewWord("abc")
	if err != nil {
		t.Fatal(err)
	}
	if sent := string(word.ToWire(body)); !strings.HasSuffix(sent, `"abcZone":"wholesale"}`) {
		t.Errorf("with the carrier's word: %s", sent)
	}
}

// TestFirstWordsOfKeysAreReserved: a word that is a prefix of keys of the specification would
// change those keys, so every such word is refused.
func TestFirstWordsOfKeysAreReserved(t *testing.T) {
	orders := OrderRequest{
		PlanName: "a", Term: 1, TrafficClass: "a", RemoteQualificationSearchID: "a", QualificationSearchID: "a",
		LocationID: "a", RemoteOrderID: "a", ProductType: "a", RestorationSLA: "a", ContactName: "a", PortID: new(int64(1)),
		RequireVLAN: new(bool), VLANID: 1, NTDInstallation: "a", CustomerReference: "a", AggregationMethod: "a",
		AVCIDForTransfer: "a", TransferType: "a", POTSServiceOwner: new(bool), POTSWaiver: new(bool), QuoteName: "a",
		NTDOption: "a",
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

// firstWords returns the first words of the multi-word keys in a document.
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
