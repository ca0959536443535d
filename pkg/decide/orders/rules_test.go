// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide/orders"
)

// The qualification results of the tables: a site with no equipment, one with two NTDs, one with
// copper pairs.
const (
	empty = `{"qualificationSearchId":"SQ","remoteQualificationSearchId":"RSQ","locationId":"LOC000000000001",
	 "technologyType":"FTTP","allowedAggregationMethods":["L2TP"],"infrastructures":[],
	 "restorationSlas":[{"sla":"Standard"},{"sla":"Enhanced","fees":[{"name":"SLA",
	   "oneTimeCharge":{"amount":"5.00","currency":"AUD"},"monthlyRecurringCharge":{"amount":"10.00","currency":"AUD"}}]}],
	 "newDevelopmentsCharge":{"applies":true,"fees":[{"name":"NDF","oneTimeCharge":{"amount":"300.00","currency":"AUD"}}]},
	 "infrastructureInstallationOptions":[{"option":"wholesale-tech","fees":[
	   {"name":"NTD_INSTALLATION_FEE","oneTimeCharge":{"amount":"200.00","currency":"AUD"}},
	   {"name":"SUBSEQUENT_INSTALLATION_CHARGE","oneTimeCharge":{"amount":"270.00","currency":"AUD"}}]}],
	 "firstOrAdditionalNtdPlans":[{"name":"Slow","speedDown":50,"speedUp":20}],
	 "availableProducts":[{"id":"1","name":"p","planOptions":[
	   {"planName":"Giga","speedDown":{"speed":2000,"unit":"MBit/s"},
	   "speedUp":{"speed":500,"unit":"MBit/s"}}]}]}`

	fibre = `{"qualificationSearchId":"SQ","remoteQualificationSearchId":"RSQ","locationId":"LOC000000000001",
	 "technologyType":"FTTP","avcId":"AVC000000000009",
	 "infrastructureInstallationOptions":[{"option":"wholesale-tech","fees":[
	   {"name":"SUBSEQUENT_INSTALLATION_CHARGE","oneTimeCharge":{"amount":"270.00","currency":"AUD"}}]}],
	 "firstOrAdditionalNtdPlans":[{"name":"Slow","speedDown":50,"speedUp":20},
	   {"name":"Giga","speedDown":2000,"speedUp":500}],
	 "infrastructures":[
	  {"infrastructureId":"NTD-1","ntdType":"INTERNAL","ntdVersion":"G1",
	   "plans":[{"name":"Slow","speedDown":50,"speedUp":20},{"name":"Wide","speedDown":900,"speedUp":100}],
	   "remainingDownstreamBandwidth":500,"remainingUpstreamBandwidth":200,
	   "installationOptions":[{"option":"wholesale-no-action"}],
	   "replacementNtdPlans":[{"name":"Giga","speedDown":2000,"speedUp":500},{"name":"Slow","speedDown":50,"speedUp":20}],
	   "replacementNtdInstallationOptions":[{"option":"wholesale-tech"}],
	   "ntdPorts":[{"portId":1,"status":"Used","avcIdMatch":false,
	     "fees":[{"name":"SERVICE_TRANSFER_FEE","oneTimeCharge":{"amount":"22.50","currency":"AUD"}}]},
	     {"portId":2,"status":"Free"},{"portId":3,"status":"Reserved"}]},
	  {"infrastructureId":"NTD-2","ntdType":"INTERNAL","plans":[{"name":"Slow","speedDown":50,"speedUp":20}],
	   "remainingDownstreamBandwidth":100,"ntdPorts":[{"portId":1,"status":"Free"}]}]}`

	copper = `{"qualificationSearchId":"SQ","remoteQualificationSearchId":"RSQ","locationId":"LOC000000000001",
	 "technologyType":"FTTN","firstOrAdditionalNtdPlans":[{"name":"Slow","speedDown":50,"speedUp":20}],
	 "infrastructureInstallationOptions":[{"option":"wholesale-tech"}],
	 "infrastructures":[
	  {"infrastructureId":"CP-USED","serviceStatus":"Line In Use","copperPairStatus":null},
	  {"infrastructureId":"CP-POTS","serviceStatus":null,"copperPairStatus":"Active"},
	  {"infrastructureId":"CP-FREE","serviceStatus":"Line Not In Use","copperPairStatus":null}]}`
)

type orderEdit func(*v1alpha1.ServiceOrderSpec)

func asks(
	scenario v1alpha1.OrderScenario, plan, installation string, edits ...orderEdit,
) *v1alpha1.ServiceOrderSpec {
	spec := &v1alpha1.ServiceOrderSpec{
		Scenario: scenario, PlanName: plan, AggregationMethod: "L2TP", NTDInstallation: installation,
		Qualification: v1alpha1.QualificationIDs{
			QualificationSearchID: "SQ", RemoteQualificationSearchID: "RSQ", LocationID: "LOC000000000001",
		},
	}
	for _, edit := range edits {
		edit(spec)
	}
	return spec
}

// on sets the infrastructure of an order, and its port if one is given.
func on(id string, port ...int64) orderEdit {
	return func(spec *v1alpha1.ServiceOrderSpec) {
		spec.Infrastructure = &v1alpha1.OrderedInfrastructure{ID: id}
		if len(port) > 0 {
			spec.Infrastructure.PortID = &port[0]
		}
	}
}

func circuit(avc string) orderEdit {
	return func(spec *v1alpha1.ServiceOrderSpec) {
		spec.Transfer = &v1alpha1.Transfer{Type: "SERVICE_TRANSFER", AVCID: avc}
	}
}

func qualification(t *testing.T, text string) *carrier.Qualification {
	t.Helper()
	decoded, err := carrier.DecodeQualification("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return &decoded
}

func swap(site, old, by string) string { return strings.Replace(site, old, by, 1) }

// withoutFreePair is the site once all pairs are in use.
func withoutFreePair() string { return swap(copper, "Line Not In Use", "Line In Use") }

func TestOrderRefusals(t *testing.T) {
	t.Parallel()
	const (
		first, free, replace = v1alpha1.ScenarioFirst, v1alpha1.ScenarioFree, v1alpha1.ScenarioReplaceNTD
		additional, used     = v1alpha1.ScenarioAdditional, v1alpha1.ScenarioInUse
		tech, self           = "wholesale-tech", "wholesale-no-action"
	)
	portZero := swap(fibre, `"portId":2`, `"portId":0`)
	for name, c := range map[string]struct {
		site string
		spec *v1alpha1.ServiceOrderSpec
		want string // part of the one refusal; "" for none
	}{
		"first":                      {empty, asks(first, "Slow", tech), ""},
		"first, of a product":        {empty, asks(first, "Giga", tech), ""},
		"first, of another search":   {swap(empty, `"SQ"`, `"SR"`), asks(first, "Slow", tech), "SearchID"},
		"first, of another site":     {swap(empty, "000001", "000002"), asks(first, "Slow", tech), "locationID"},
		"first, of another one":      {swap(empty, "RSQ", "RSR"), asks(first, "Slow", tech), "remoteQ"},
		"nothing at all":             {`{"locationId":"LOC000000000001"}`, asks(first, "Slow", tech), "SearchID"},
		"first, no such plan":        {empty, asks(first, "Swift", tech), `use one of "Slow", "Giga"`},
		"first, installed otherwise": {empty, asks(first, "Slow", self), "use one of wholesale-tech"},
		"first, where NTDs are":      {fibre, asks(first, "Slow", tech), "this site has 2 (NTD-1, NTD-2)"},
		"additional, where none is":  {empty, asks(additional, "Slow", tech), "use FirstInfrastructure"},
		"additional":                 {fibre, asks(additional, "Giga", tech), ""},
		"additional, not offered": {
			swap(fibre, `"infrastructureInstallationOptions"`, `"x"`), asks(additional, "Giga", tech), "not offered at",
		},
		"additional pair, one free":  {copper, asks(additional, "Slow", tech), `"CP-FREE" is not`},
		"additional pair, all used":  {withoutFreePair(), asks(additional, "Slow", tech), ""},
		"free port":                  {fibre, asks(free, "Slow", self, on("NTD-1", 2)), ""},
		"free port, which is used":   {fibre, asks(free, "Slow", self, on("NTD-1", 1)), "use scenario InUseTransfer"},
		"a port that is neither":     {fibre, asks(free, "Slow", self, on("NTD-1", 3)), ""},
		"no such port":               {fibre, asks(free, "Slow", self, on("NTD-1", 7)), "its ports: 1, 2, 3"},
		"no port":                    {fibre, asks(free, "Slow", self, on("NTD-1")), `names no port of NTD "NTD-1"`},
		"port zero":                  {portZero, asks(free, "Slow", self, on("NTD-1", 0)), ""},
		"no such NTD":                {fibre, asks(free, "Slow", self, on("NTD-7", 1)), "installed: NTD-1, NTD-2"},
		"free port without capacity": {fibre, asks(free, "Wide", self, on("NTD-1", 2)), "plan \"Wide\" needs 900 and 100"},
		"free port of a slow NTD": {
			fibre, asks(free, "Giga", self, on("NTD-1", 2)), `faster than 1000 MBit/s, which NTD "NTD-1" (INTERNAL G1)`,
		},
		"free port of another plan": {fibre, asks(free, "Wide", self, on("NTD-2", 1)), "not offered with scenario"},
		"port in use":               {fibre, asks(used, "Slow", self, on("NTD-1", 1), circuit("AVC000000000001")), ""},
		"port in use, wrong circuit": {
			fibre, asks(used, "Slow", self, on("NTD-1", 1), circuit("AVC000000000009")), "not the circuit of port 1",
		},
		"port in use, which is free":  {fibre, asks(used, "Slow", self, on("NTD-1", 2)), "use scenario FreeInfrastructure"},
		"replacement":                 {fibre, asks(replace, "Giga", tech, on("NTD-1")), ""},
		"replacement, not needed":     {fibre, asks(replace, "Slow", tech, on("NTD-1")), `fits NTD "NTD-2"`},
		"replacement, other options":  {fibre, asks(replace, "Giga", self, on("NTD-1")), "use one of wholesale-tech"},
		"replacement of a pair":       {copper, asks(replace, "Slow", tech, on("CP-FREE")), "is not an NTD"},
		"free pair":                   {copper, asks(free, "Slow", tech, on("CP-FREE")), ""},
		"free pair, line in use":      {copper, asks(free, "Slow", tech, on("CP-USED")), "use scenario InUseTransfer"},
		"free pair, active elsewhere": {copper, asks(free, "Slow", tech, on("CP-POTS")), "use scenario InUseTransfer"},
		"pair in use":                 {copper, asks(used, "Slow", tech, on("CP-USED")), ""},
		"pair active elsewhere":       {copper, asks(used, "Slow", tech, on("CP-POTS")), ""},
		"pair in use, which is free":  {copper, asks(used, "Slow", tech, on("CP-FREE")), "scenario FreeInfrastructure"},
		"another method": {
			empty, asks(first, "Slow", tech, func(s *v1alpha1.ServiceOrderSpec) { s.AggregationMethod = "ETHERNET" }),
			"use L2TP",
		},
		"another SLA": {
			empty, asks(first, "Slow", tech, func(s *v1alpha1.ServiceOrderSpec) { s.RestorationSLA = "Gold" }),
			"Standard, Enhanced",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := orders.Refusals(c.spec, qualification(t, c.site))
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("got %q, want one with %q", got, c.want)
			}
		})
	}
}
