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

// slaNamed returns the restoration SLA with a name, nil if the carrier offers none.
func (c *catalog) slaNamed(name string) *SLA {
	i := slices.IndexFunc(c.slas, func(s SLA) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &c.slas[i]
}

// mbits returns the Speed of spec §2.
func mbits(rate int64) resource { return resource{"speed": rate, "unit": "MBit/s"} }

// money returns the Money of spec §2.
func (c *catalog) money(amount string) resource {
	return resource{"amount": cmp.Or(amount, "0.00"), "currency": c.currency.Code, "symbol": c.currency.Symbol}
}

// fee returns the Fee of spec §2. The fee of the plan itself has no name.
func (c *catalog) fee(name string, price Price, attributes resource) resource {
	fee := resource{
		"attributes": attributes, "oneTimeCharge": c.money(price.OneTime), "monthlyRecurringCharge": c.money(price.Monthly),
	}
	if name != "" {
		fee["name"] = name
	}
	return fee
}

// sla returns the `sla` of spec §2.
func (c *catalog) sla(sla SLA) resource {
	return resource{"sla": sla.Name, "fee": c.fee("SLA", sla.Price, resource{"sla": sla.Name})}
}
