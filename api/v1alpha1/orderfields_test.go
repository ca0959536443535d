// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// TestNoKnownFieldOfAnOrderIsAnExtraField: a known field has a place of its own in the spec, where it
// is checked.
func TestNoKnownFieldOfAnOrderIsAnExtraField(t *testing.T) {
	t.Parallel()
	crd, err := os.ReadFile("../../config/crd/bases/wholesale.broadband_serviceorders.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, rule, found := strings.Cut(string(crd), "self.name.lowerAscii() in [")
	if !found {
		t.Fatal("there is no rule about the names of extra fields")
	}
	rule, _, _ = strings.Cut(rule, "]")
	rule = strings.Join(strings.Fields(strings.ReplaceAll(rule, "''", "'")), "")
	yes, number := true, int64(1)
	body := carrier.OrderRequest{
		PlanName: "a", Term: 1, TrafficClass: "a", RemoteQualificationSearchID: "a", QualificationSearchID: "a",
		LocationID: "a", RemoteOrderID: "a", ProductType: "a", RestorationSLA: "a", ContactName: "a", ContactPhone: "a",
		ContactEmail: "a", PortID: &number, RequireVLAN: &yes, VLANID: 1, NTDInstallation: "a", CustomerReference: "a",
		AggregationMethod: "a", AVCIDForTransfer: "a", TransferType: "a", POTSServiceOwner: &yes, POTSWaiver: &yes,
		QuoteName: "a", NTDOption: "a",
	}.Body()
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	if len(fields) != strings.Count(rule, "'")/2 {
		t.Errorf("an order has %d fields, and the rule names %d", len(fields), strings.Count(rule, "'")/2)
	}
	for name := range fields {
		if !strings.Contains(rule, "'"+strings.ToLower(name)+"'") {
			t.Errorf("%s is allowed as an extra field", name)
		}
	}
}
