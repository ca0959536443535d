// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
)

// namedNTDs adds NTDs to a qualification, each with an installation fee.
func namedNTDs(site, of string, fees map[string]string) string {
	var devices []string
	for _, name := range []string{"1_PORT", "4_PORT", "4_PORT_RESIDENTIAL"} {
		if fee, listed := fees[name]; listed {
			devices = append(devices, fmt.Sprintf(`{"name":%q,"fees":[%s]}`, name, oneTimeFee(installationFee, fee)))
		}
	}
	return swap(site, "{", fmt.Sprintf(`{%q:[%s],`, of, strings.Join(devices, ",")))
}

// planWith makes the plan Slow of a qualification allow these devices, at the given fee or without
// one.
func planWith(site, fee string, options ...string) string {
	items := make([]string, 0, len(options))
	for _, option := range options {
		item := fmt.Sprintf(`{"option":%q}`, option)
		if fee != "" {
			item = fmt.Sprintf(`{"option":%q,"fee":%s}`, option, oneTimeFee(installationFee, fee))
		}
		items = append(items, item)
	}
	return strings.ReplaceAll(site, `"name":"Slow",`, `"name":"Slow","ntdOptions":[`+strings.Join(items, ",")+`],`)
}

// An order once got the fee of all devices together, and one that its plan excludes was put up for
// approval.
func TestTheDevicesOfAnOrder(t *testing.T) {
	t.Parallel()
	const next, replacing = "generationTwoNtds", "replacementNtds"
	bare := swap(empty, `{"name":"NTD_INSTALLATION_FEE","oneTimeCharge":{"amount":"200.00","currency":"AUD"}},`, "")
	three := map[string]string{"1_PORT": "0.00", "4_PORT": "50.00", "4_PORT_RESIDENTIAL": "100.00"}
	two := planWith(namedNTDs(bare, next, three), "", "1_PORT", "4_PORT_RESIDENTIAL")
	wants := func(option string) orderEdit { return func(s *v1alpha1.ServiceOrderSpec) { s.NTDOption = option } }
	first := func(edits ...orderEdit) *v1alpha1.ServiceOrderSpec {
		return asks(v1alpha1.ScenarioFirst, "Slow", "wholesale-tech", edits...)
	}
	replace := asks(v1alpha1.ScenarioReplaceNTD, "Giga", "wholesale-tech", on("NTD-1"), wants("4_PORT"))
	free := asks(v1alpha1.ScenarioFree, "Slow", "wholesale-no-action", on("NTD-1", 2), wants("4_PORT"))
	for name, c := range map[string]struct {
		site     string
		spec     *v1alpha1.ServiceOrderSpec
		fee, why string // the installation fee, "" for none; part of the refusal, "" for none
	}{
		"the free one is chosen":            {two, first(wants("1_PORT")), "0.00", ""},
		"the dear one is chosen":            {two, first(wants("4_PORT_RESIDENTIAL")), "100.00", ""},
		"none is chosen, and they differ":   {two, first(), "?", ""},
		"one that the plan does not allow":  {two, first(wants("4_PORT")), "", "use one of 1_PORT, 4_PORT_RESIDENTIAL"},
		"one that nobody lists":             {two, first(wants("NTD_2.5")), "", "ntdOption NTD_2.5 is not available"},
		"the plan allows one of them":       {planWith(namedNTDs(bare, next, three), "", "4_PORT"), first(), "50.00", ""},
		"the plan lists none":               {namedNTDs(bare, next, three), first(wants("4_PORT")), "50.00", ""},
		"the plan lists none, nor the site": {bare, first(wants("4_PORT")), "", ""},
		"only the plan lists them":          {planWith(bare, "70.00", "1_PORT"), first(), "70.00", ""},
		"only the plan lists others": {
			planWith(bare, "70.00", "1_PORT"), first(wants("4_PORT")), "", "use one of 1_PORT",
		},
		"the plan states another fee": {planWith(namedNTDs(bare, next, three), "70.00", "4_PORT"), first(), "?", ""},
		"the plan states the same fee": {
			planWith(namedNTDs(bare, next, three), "50.00", "4_PORT"), first(), "50.00", "",
		},
		"the plan allows none of the site's": {
			planWith(namedNTDs(bare, next, map[string]string{"4_PORT": "50.00"}), "", "1_PORT"), first(), "",
			`plan "Slow" allows no device that this site can get: it allows 1_PORT, and the site can get 4_PORT`,
		},
		"a replacement": {namedNTDs(fibre, replacing, three), replace, "50.00", ""},
		"a replacement that is not there": {
			namedNTDs(fibre, replacing, map[string]string{"1_PORT": "1.00"}), replace, "", "use one of 1_PORT",
		},
		"of the list for a first NTD":    {namedNTDs(fibre, next, three), replace, "", ""},
		"on a port, allowed by the plan": {planWith(fibre, "9.00", "4_PORT"), free, "", ""},
		"on a port, which is another":    {planWith(fibre, "", "1_PORT"), free, "", "use one of 1_PORT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := qualification(t, c.site)
			why := decide.JoinTexts(orders.Refusals(c.spec, site)...)
			if (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
				t.Errorf("refused with %q, want %q", why, c.why)
			}
			fees := orders.PreviewFees(&orders.Input{
				Order: &v1alpha1.ServiceOrder{Spec: *c.spec}, Qualification: site,
			})
			expectInstallationFee(t, amountsOf(fees), c.fee)
		})
	}
}

// expectInstallationFee compares the fees of an order with the installation fee that they begin with;
// "" for none.
func expectInstallationFee(t *testing.T, fees, want string) {
	t.Helper()
	isNone := want == "" && !strings.Contains(fees, installationFee)
	if !isNone && (want == "" || !strings.HasPrefix(fees, installationFee+" "+want)) {
		t.Errorf("fees %s, want an installation fee of %q", fees, want)
	}
}
