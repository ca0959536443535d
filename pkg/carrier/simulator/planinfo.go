package simulator

import "strconv"

// planInfo has the fields of the `plan` of spec §2 that both sources share.
type planInfo struct {
	SourceType       string `json:"sourceType"`
	AccessTechnology string `json:"accessTechnology"`
	Plan             string `json:"plan"`
	Term             string `json:"term"` // a String here, a Number in the request
	SpeedDown        speed  `json:"speedDown"`
	SpeedUp          speed  `json:"speedUp"`
	PlanFee          fee    `json:"planFee"`
}

// wholesalePlanInfo is the `plan` of spec §2. The plan of the alternate source lacks the fields
// added here.
type wholesalePlanInfo struct {
	planInfo

	RequiresAdditionalNTD       *bool           `json:"requiresAdditionalNtd"`
	RequiresAdditionalNTDReason *string         `json:"requiresAdditionalNtdReason"`
	NFASFee                     *fee            `json:"nfasFee"`
	NTDOptions                  []ntdOptionInfo `json:"ntdOptions"`
}

type ntdOptionInfo struct {
	Option      string `json:"option"`
	Recommended bool   `json:"recommended"`
	Fee         fee    `json:"fee"`
}

// planInfo returns a plan as it would be on a service.
func (c *catalog) planInfo(svc *serviceState, plan Plan, term int64) any {
	months := strconv.FormatInt(term, 10)
	info := planInfo{
		SourceType: svc.SourceType, AccessTechnology: svc.TechnologyType, Plan: plan.Name, Term: months,
		SpeedDown: mbits(plan.SpeedDown), SpeedUp: mbits(plan.SpeedUp),
		PlanFee: c.fee("", plan.Price, map[string]string{"plan": plan.Name, termField: months}),
	}
	if svc.alternate() {
		return info
	}
	return wholesalePlanInfo{
		planInfo:              info,
		RequiresAdditionalNTD: additionalNTD(plan), RequiresAdditionalNTDReason: orNull(plan.AdditionalNTDReason),
		NFASFee: c.nfasFee(plan), NTDOptions: c.ntdOptions(plan),
	}
}

// additionalNTD reports whether the plan requires an additional NTD, null if no NTD is involved.
func additionalNTD(plan Plan) *bool {
	if len(plan.NTDOptions) == 0 && plan.AdditionalNTDReason == "" {
		return nil
	}
	required := plan.AdditionalNTDReason != ""
	return &required
}

func (c *catalog) nfasFee(plan Plan) *fee {
	if plan.NFASFee == nil {
		return nil
	}
	commitment := c.fee("NFAS_COMMITMENT", *plan.NFASFee, map[string]string{"nfas_commitment_fee": plan.Name})
	return &commitment
}

func (c *catalog) ntdOptions(plan Plan) []ntdOptionInfo {
	options := make([]ntdOptionInfo, 0, len(plan.NTDOptions))
	for _, o := range plan.NTDOptions {
		options = append(options, ntdOptionInfo{
			Option: o.Option, Recommended: o.Recommended,
			Fee: c.fee("NTD_INSTALLATION_FEE", o.Price, map[string]string{"ntd_installation_fee": o.Option}),
		})
	}
	return options
}
