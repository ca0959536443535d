package simulator

import (
	"maps"
	"strconv"
)

// planInfo returns the `plan` of spec §2, as it would be on a service. The plan of the alternate
// source lacks some fields.
func (c *catalog) planInfo(svc *serviceState, plan Plan, term int64) resource {
	months := strconv.FormatInt(term, 10) // a String here, a Number in the request
	info := resource{
		"sourceType": svc.SourceType, "accessTechnology": svc.TechnologyType, "plan": plan.Name, termField: months,
		"speedDown": mbits(plan.SpeedDown), "speedUp": mbits(plan.SpeedUp),
		"planFee": c.fee("", plan.Price, resource{"plan": plan.Name, termField: months}),
	}
	if !svc.alternate() {
		maps.Copy(info, c.installation(plan))
	}
	return info
}

// installation returns the fields of a plan that are about its NTD and the NFAS commitment.
func (c *catalog) installation(plan Plan) resource {
	info := resource{
		"requiresAdditionalNtd": nil, "requiresAdditionalNtdReason": orNull(plan.AdditionalNTDReason), "nfasFee": nil,
	}
	if len(plan.NTDOptions) > 0 || plan.AdditionalNTDReason != "" {
		info["requiresAdditionalNtd"] = plan.AdditionalNTDReason != ""
	}
	if plan.NFASFee != nil {
		info["nfasFee"] = c.fee("NFAS_COMMITMENT", *plan.NFASFee, resource{"nfas_commitment_fee": plan.Name})
	}
	options := make([]resource, 0, len(plan.NTDOptions))
	for _, o := range plan.NTDOptions {
		options = append(options, resource{
			"option": o.Option, "recommended": o.Recommended,
			"fee": c.fee("NTD_INSTALLATION_FEE", o.Price, resource{"ntd_installation_fee": o.Option}),
		})
	}
	info["ntdOptions"] = options
	return info
}
