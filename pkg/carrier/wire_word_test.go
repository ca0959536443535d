package carrier_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// word is a carrier's own word inside identifiers.
const word = "abc"

// TestEveryFamilyInTheCarriersWord: on the wire, keys and values contain another word; in the Go
// API they do not.
func TestEveryFamilyInTheCarriersWord(t *testing.T) {
	for _, f := range families() {
		t.Run(string(f.op), func(t *testing.T) { f.mustComplete(t, newWireWithWords(t, word, word), 8) })
	}
}

// placeOrderWithWord places an order and returns its values that contain the carrier's word.
func placeOrderWithWord(t *testing.T, w *wire) []any {
	t.Helper()
	body := carrier.OrderRequest{
		PlanName: "Basic", Term: 1, QualificationSearchID: "q-1", LocationID: location, NTDInstallation: carrier.InstallTech,
		CustomerReference: "abc wholesale-tech", AggregationMethod: carrier.AggregationL2TP,
	}.Body()
	receipt := w.Submit(t.Context(), carrier.OrderCreate, 8, body)
	if receipt.Delivery != carrier.Accepted {
		return []any{receipt.Delivery}
	}
	placed, err := carrier.DecodeOrder(receipt.Body)
	if err != nil {
		t.Fatal(err)
	}
	return []any{placed.Provider, placed.InstallationType, placed.CustomerRef}
}

// disruptionIDs are the IDs of a service's disruptions, read two at a time.
func disruptionIDs(t *testing.T, w *wire) (ids []string) {
	t.Helper()
	for number := 0; ; number++ {
		page, err := w.DisruptionPage(t.Context(), carrier.DisruptionQuery{ServiceID: service, Size: 2}, number)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range page.Content {
			ids = append(ids, found.WholesaleDisruptionID)
		}
		if page.IsLast(number) {
			return ids
		}
	}
}

// TestOrdersAndReadsInTheCarriersWord covers the operations that are not a family.
func TestOrdersAndReadsInTheCarriersWord(t *testing.T) {
	w := newWireWithWords(t, word, word)
	want := []any{"wholesale", carrier.InstallTech, "abc wholesale-tech"} // a reference is chosen by the customer
	if diff := cmp.Diff(want, placeOrderWithWord(t, w)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"CHG3", "CHG1", "CHG2"}, disruptionIDs(t, w)); diff != "" {
		t.Errorf("disruptions (-want +got):\n%s", diff)
	}
}

// TestClientWithAnotherWordFails: a client that uses another word fails, so the tests above are
// meaningful.
func TestClientWithAnotherWordFails(t *testing.T) {
	for name, ends := range map[string][2]string{
		"only the carrier uses it": {word, ""},
		"only the client uses it":  {"", word},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWireWithWords(t, ends[0], ends[1])
			decodedOrder := []any{"wholesale", carrier.InstallTech, "abc wholesale-tech"}
			if got := placeOrderWithWord(t, w); cmp.Equal(decodedOrder, got) {
				t.Errorf("an order was decoded: %v", got)
			}
			if got := disruptionIDs(t, w); ends[0] == word && got[0] != "" {
				t.Errorf("disruptions were decoded: %v", got)
			}
		})
	}
}
