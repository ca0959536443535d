package simulator_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// withPairs gives the built location copper pairs instead of an NTD.
func withPairs(ports ...simulator.Port) []func(*simulator.Seed) {
	return []func(*simulator.Seed){func(s *simulator.Seed) {
		site := &s.Qualifications[1]
		site.TechnologyType, site.Infrastructures = "FTTN", nil
		for i, port := range ports {
			site.Infrastructures = append(site.Infrastructures, simulator.Infrastructure{
				ID: fmt.Sprint("NTD", i+1), Ports: []simulator.Port{port},
			})
		}
	}}
}

// withNTDChange changes the NTD of the built location.
func withNTDChange(edit func(*simulator.Qualification)) []func(*simulator.Seed) {
	return []func(*simulator.Seed){func(s *simulator.Seed) { edit(&s.Qualifications[1]) }}
}

// orderCase is an order and its expected result.
type orderCase struct {
	item  string
	edits []func(*simulator.Seed)
	body  string
	want  string // the order type and the fee other than the SLA's, or the code of the refusal
}

func transferFields(kind string, avc any) map[string]any {
	return map[string]any{"transferType": kind, "avcIdForTransfer": avc}
}

func orderTable() []orderCase {
	giga := map[string]any{"planName": "Giga"}
	taken := simulator.Port{ServiceStatus: "Line In Use", AVCID: "AVC999"}
	free := simulator.Port{ServiceStatus: "Line Not In Use"}
	active := simulator.Port{CopperPairStatus: "Active"}
	return []orderCase{
		{"scenario 1: the first service at a location", nil, orderBody(nil), "new NTD_INSTALLATION_FEE"},
		{"scenario 2: a free port", nil, orderOnPort(1, nil), "new"},
		{"scenario 2: refused for lack of capacity", nil, orderOnPort(1, giga), "constraints.order.ntd.capacity.exceeded"},
		{"scenario 3: a replacement NTD", withNTDChange(func(q *simulator.Qualification) {
			q.Infrastructures[0].ReplacementDown = 2000
		}), orderOnPort(1, giga), "new"},
		{"scenario 3: refused when another NTD would do", withNTDChange(func(q *simulator.Qualification) {
			q.Infrastructures[0].ReplacementDown = 2000
			q.Infrastructures = append(q.Infrastructures, simulator.Infrastructure{ID: "NTD2", RemainingDown: 2000})
		}), orderOnPort(1, giga), "constraints.order.ntd.capacity.exceeded"},
		{"scenario 4: an additional NTD", nil, orderBody(additionalFields(nil)), "new SUBSEQUENT_INSTALLATION_CHARGE"},
		{
			"scenario 4: refused when installation options are not populated",
			withNTDChange(func(q *simulator.Qualification) { q.AdditionalAllowed = false }),
			orderBody(additionalFields(nil)), "constraints.order.additional.infrastructure.not.allowed",
		},
		{
			"scenario 4: an additional copper pair when all are in use", withPairs(taken, active),
			orderBody(additionalFields(nil)), "new SUBSEQUENT_INSTALLATION_CHARGE",
		},
		{
			"scenario 4: an additional copper pair refused while one is free", withPairs(taken, free),
			orderBody(additionalFields(nil)), "constraints.order.additional.infrastructure.not.allowed",
		},
		{
			"scenario 5: an NTD port in use is a transfer", nil,
			orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC999")), "transfer SERVICE_TRANSFER_FEE",
		},
		{
			"scenario 5: a copper pair in use is a transfer", withPairs(taken),
			orderOnPort(0, transferFields("SERVICE_TRANSFER", "AVC999")), "transfer SERVICE_TRANSFER_FEE",
		},
		{"scenario 5: transferType and avcIdForTransfer are needed", nil, orderOnPort(2, nil), "constraints.not.null"},
		{
			"scenario 5: transferType and avcIdForTransfer are needed", nil,
			orderOnPort(2, transferFields("SERVICE_TRANSFER", nil)), "constraints.not.null",
		},
		{
			"scenario 6: SERVICE_TRANSFER with an AVC id", nil,
			orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC999")), "transfer SERVICE_TRANSFER_FEE",
		},
		{
			"scenario 6: CONNECT_OUTSTANDING without one", nil,
			orderOnPort(2, transferFields("CONNECT_OUTSTANDING", nil)), "transfer SERVICE_TRANSFER_FEE",
		},
		{
			"scenario 7: neither for the first infrastructure", nil,
			orderBody(transferFields("SERVICE_TRANSFER", "AVC999")), "constraints.avc.id.not.required",
		},
		{
			"scenario 7: neither for an additional infrastructure", nil,
			orderBody(additionalFields(transferFields("CONNECT_OUTSTANDING", nil))), "constraints.transfer.type.not.required",
		},
		{
			"scenario 9: an active pair of another company is a transfer", withPairs(active),
			orderOnPort(0, transferFields("CONNECT_OUTSTANDING", nil)), "transfer SERVICE_TRANSFER_FEE",
		},
	}
}

// orderCases are the scenarios of spec §2.
func orderCases() []conformanceCase {
	return append(
		each(orderTable(), func(row orderCase) []conformanceCase {
			return []conformanceCase{{name: "order " + row.item, edits: row.edits, run: row.run}}
		}),
		conformanceCase{name: "order with an incorrect AVC id", run: incorrectAVC},
		conformanceCase{name: "order on the client's own service", run: internalTransfer},
		conformanceCase{name: "a copper pair of two companies", run: pairOfTwoCompanies},
		conformanceCase{name: "order: Location and body", run: orderLocation},
	)
}

func (o orderCase) run(c *caseRun) {
	got := c.post(orders, o.body)
	seen := ""
	if got.status == http.StatusCreated {
		names := got.fees()[1:] // the first is the SLA
		seen = strings.TrimSpace(fmt.Sprint(got.text("orderType"), " ", strings.Trim(fmt.Sprint(names), "[]")))
	} else if first, isObject := got.is(422).list("apiSubErrors")[0].(map[string]any); isObject {
		seen = fmt.Sprint(first["code"])
	}
	if seen != o.want {
		c.t.Errorf("%q, want %q: %s", seen, o.want, got.body)
	}
	c.covers("§2 " + o.item)
}

func incorrectAVC(c *caseRun) {
	placed := c.post(orders, orderOnPort(2, transferFields("SERVICE_TRANSFER", "AVC1"))).is(http.StatusCreated)
	i := slices.IndexFunc(c.sim.Orders(), func(o simulator.PlacedOrder) bool {
		return fmt.Sprint(o.ID) == fmt.Sprint(placed.find("id"))
	})
	c.coversIf("§2 scenario 6: an incorrect AVC id is rejected later", !c.sim.Orders()[i].RejectedAt.IsZero())
}

func internalTransfer(c *caseRun) {
	c.post(orders, orderOnPort(3, transferFields("SERVICE_TRANSFER", "AVC000001000001"))).is(http.StatusCreated)
	c.wait(10 * time.Second)
	got := c.get(cancellation(fttp)).is(http.StatusOK)
	c.coversIf("§2 scenario 10: the client's own service there is disconnected", got.find("cancelled") == true)
}

func pairOfTwoCompanies(c *caseRun) {
	initial := seed()
	for _, edit := range withPairs(simulator.Port{ServiceStatus: "Line In Use", CopperPairStatus: "Active"}) {
		edit(&initial)
	}
	err := initial.Validate()
	c.coversIf("§2 scenario 8: serviceStatus and copperPairStatus exclude each other",
		err != nil && strings.Contains(err.Error(), "exclude each other"))
}

func orderLocation(c *caseRun) {
	got := c.post(orders, orderBody(nil)).is(http.StatusCreated)
	c.coversIf("§4 order: the Location is /api/connect/orders/{id} and the body the order",
		got.header.Get("Location") == fmt.Sprint("/api/connect/orders/", got.find("id")) && got.text("status") == "OPEN")
}
