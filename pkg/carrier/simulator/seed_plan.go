package simulator

import "slices"

// Currency is the unit of the prices.
type Currency struct {
	Code   string `json:"code,omitempty"`
	Symbol string `json:"symbol,omitempty"`
}

// Price is a one-time and a monthly price. Amounts are decimals with two places, "0.00" when empty.
type Price struct {
	OneTime string `json:"oneTime,omitempty"`
	Monthly string `json:"monthly,omitempty"`
}

// Plan is a plan on offer.
type Plan struct {
	Name string `json:"name"`
	// HealthName is the spelling of the plan in health results, if it differs.
	HealthName string `json:"healthName,omitempty"`
	// Terms are the available terms; none means any.
	Terms []int64 `json:"terms,omitempty"`
	// TechnologyTypes are the technologies on which it is available; none means any.
	TechnologyTypes []string `json:"technologyTypes,omitempty"`
	// SpeedDown and SpeedUp are in MBit/s.
	SpeedDown int64 `json:"speedDown"`
	SpeedUp   int64 `json:"speedUp"`
	// CVCInclusion is the share of the connecting circuit, in MBit/s.
	CVCInclusion float64 `json:"cvcInclusion,omitempty"`
	Price        Price   `json:"price"`
	// NFASFee is the NFAS commitment fee, nil if there is none.
	NFASFee *Price `json:"nfasFee,omitempty"`
	// AdditionalNTDReason is why an additional NTD is needed, empty if none is.
	AdditionalNTDReason string `json:"additionalNtdReason,omitempty"`
	// NTDOptions are the available devices.
	NTDOptions []NTDOption `json:"ntdOptions,omitempty"`
	// Fails makes every change to this plan be accepted and then end IN_ERROR.
	Fails bool `json:"fails,omitempty"`
}

// suits reports whether the plan is available on a technology.
func (p *Plan) suits(technology string) bool {
	return len(p.TechnologyTypes) == 0 || slices.Contains(p.TechnologyTypes, technology)
}

// hasTerm reports whether the plan is available with a term. A plan without terms has all of them.
func (p *Plan) hasTerm(term int64) bool { return len(p.Terms) == 0 || slices.Contains(p.Terms, term) }

// NTDOption is a network termination device that is available with a plan.
type NTDOption struct {
	Option      string `json:"option"`
	Recommended bool   `json:"recommended,omitempty"`
	Price       Price  `json:"price"`
}

// SLA is a restoration SLA on offer.
type SLA struct {
	Name  string `json:"name"`
	Price Price  `json:"price"`
}
