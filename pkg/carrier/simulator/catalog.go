package simulator

import (
	"cmp"
	"slices"
)

// catalog is the carrier's offer, in the form used in responses.
type catalog struct {
	currency Currency
	plans    map[string]Plan
	order    []string // plan names in the order of the seed
	slas     []SLA
	fibre    map[string]FibreBuild
	sites    map[string]Qualification // by qualificationSearchId
}

func newCatalog(seed Seed) catalog {
	c := catalog{currency: seed.Currency, plans: make(map[string]Plan, len(seed.Plans)), slas: seed.SLAs}
	if c.currency.Code == "" {
		c.currency = Currency{Code: "AUD", Symbol: "$"}
	}
	c.fibre = make(map[string]FibreBuild, len(seed.FibreBuilds))
	for _, build := range seed.FibreBuilds {
		c.fibre[build.LocationID] = build
	}
	c.sites = make(map[string]Qualification, len(seed.Qualifications))
	for _, site := range seed.Qualifications {
		c.sites[site.QualificationSearchID] = site
	}
	for _, plan := range seed.Plans {
		c.plans[plan.Name] = plan
		c.order = append(c.order, plan.Name)
	}
	return c
}

// money is the Money of spec §2.
type money struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	Symbol   string `json:"symbol"`
}

// fee is the Fee of spec §2. Name is present on some fees.
type fee struct {
	Name                   string            `json:"name,omitempty"`
	Attributes             map[string]string `json:"attributes"`
	OneTimeCharge          money             `json:"oneTimeCharge"`
	MonthlyRecurringCharge money             `json:"monthlyRecurringCharge"`
}

// speed is the Speed of spec §2.
type speed struct {
	Speed int64  `json:"speed"`
	Unit  string `json:"unit"`
}

// hasSLA reports whether the carrier offers a restoration SLA.
func (c *catalog) hasSLA(name string) bool {
	return slices.ContainsFunc(c.slas, func(s SLA) bool { return s.Name == name })
}

func mbits(rate int64) speed { return speed{Speed: rate, Unit: "MBit/s"} }

func (c *catalog) money(amount string) money {
	return money{Amount: cmp.Or(amount, "0.00"), Currency: c.currency.Code, Symbol: c.currency.Symbol}
}

func (c *catalog) fee(name string, price Price, attributes map[string]string) fee {
	return fee{
		Name: name, Attributes: attributes,
		OneTimeCharge: c.money(price.OneTime), MonthlyRecurringCharge: c.money(price.Monthly),
	}
}

// slaInfo is the `sla` of spec §2.
type slaInfo struct {
	SLA string `json:"sla"`
	Fee fee    `json:"fee"`
}

func (c *catalog) sla(sla SLA) slaInfo {
	return slaInfo{SLA: sla.Name, Fee: c.fee("SLA", sla.Price, map[string]string{"sla": sla.Name})}
}
