package simulator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

func withOrderFields(s *simulator.Seed) {
	s.Extensions = append(s.Extensions, simulator.ExtensionOrderFields)
	s.OrderFields = []string{"siteAccessCode"}
}

// furtherFields are the known fields of OrderFields, and one that the carrier has added.
func furtherFields() map[string]any {
	return map[string]any{
		"planName": "Giga", "potsServiceOwner": false, "potsWaiver": true, "quoteName": strings.Repeat("é", 50),
		"ntdOption": "4_PORT_RESIDENTIAL", "siteAccessCode": 4711,
	}
}

func TestAnOrderMayHaveFurtherFields(t *testing.T) {
	h := start(t, withOrderFields)
	got := h.post(orders, orderBody(furtherFields())).is(http.StatusCreated)
	if fmt.Sprint(got.member("ntdOption", "name")) != "4_PORT_RESIDENTIAL" {
		t.Error(got.body)
	}
	h.expectViolations()
}

func TestFurtherFieldsOfAnOrderAreJudged(t *testing.T) {
	const noWaiver = "constraints.order.pots.waiver.required potsWaiver"
	cases := map[string]struct {
		field     string
		value     any
		code      string
		subErrors []string
	}{
		"no waiver":              {"potsWaiver", nil, rejected, []string{noWaiver}},
		"a waiver that is false": {"potsWaiver", false, rejected, []string{noWaiver}},
		"a long quote name": {
			"quoteName", strings.Repeat("é", 51), invalid, []string{"constraints.pattern quoteName"},
		},
		"an unknown NTD": {"ntdOption", "8_PORT", invalid, []string{"constraints.pattern ntdOption"}},
		"an NTD of another plan": {
			"ntdOption", "1_PORT", rejected, []string{"constraints.order.ntd.option.invalid ntdOption"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := start(t, withOrderFields)
			body := furtherFields()
			body[c.field] = c.value
			h.post(orders, orderBody(body)).refusedWith(http.StatusUnprocessableEntity, c.code, c.subErrors...)
		})
	}
	for name, value := range map[string]any{"potsServiceOwner": "no", "siteAccessCode": map[string]any{"code": 1}} {
		body := furtherFields()
		body[name] = value
		start(t, withOrderFields).post(orders, orderBody(body)).refusedWith(400, "malformed.json.request")
	}
}

func TestACarrierWithoutThemIgnoresFurtherFieldsOfAnOrder(t *testing.T) {
	h := start(t)
	body := orderBody(map[string]any{"potsServiceOwner": false, "ntdOption": "1_PORT"})
	if got := h.post(orders, body).is(http.StatusCreated); got.find("ntdOption") != nil {
		t.Error(got.body)
	}
	h.expectViolations(simulator.RuleField, simulator.RuleField)
}
