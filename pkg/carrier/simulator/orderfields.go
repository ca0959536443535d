package simulator

import (
	"regexp"
	"slices"
)

// The fields of the extension OrderFields that have rules.
const (
	potsOwnerField  = "potsServiceOwner"
	potsWaiverField = "potsWaiver"
	ntdOptionField  = "ntdOption"
)

// ntdOptions are all devices that an order can name.
func ntdOptions() []string { return []string{"1_PORT", "4_PORT", "4_PORT_RESIDENTIAL", "NTD_2.5"} }

// quoteForm is the form of a quoteName: at most 50 characters.
var quoteForm = regexp.MustCompile(`^(?s:.{1,50})$`)

// allRoutes returns the routes of a carrier with the seed's extensions.
func allRoutes(seed *Seed) []route {
	rows := append(routes(), extensionRoutes(seed.Extensions)...)
	if !slices.Contains(seed.Extensions, ExtensionOrderFields) {
		return rows
	}
	for i := range rows {
		if rows[i].operation == OpOrderCreate {
			rows[i].fields = append(rows[i].fields, furtherOrderFields(seed.OrderFields)...)
		}
	}
	return rows
}

// furtherOrderFields are the order fields that docs/carrier-api.md lists for OrderFields, and those
// that this carrier has added.
func furtherOrderFields(added []string) []field {
	own := make([]field, len(added))
	for i, name := range added {
		own[i] = field{name: name, kind: scalar}
	}
	return append([]field{
		{name: potsOwnerField, kind: flag},
		{name: potsWaiverField, kind: flag},
		{name: "quoteName", kind: text, pattern: quoteForm},
		{name: ntdOptionField, kind: text, allowed: ntdOptions()},
	}, own...)
}

// furtherFieldsValid applies what is known of the fields of OrderFields (docs/carrier-api.md). Without
// the extension, an order has none of them.
func (o *order) furtherFieldsValid() error {
	owner, waiver := string(o.fields[potsOwnerField]), string(o.fields[potsWaiverField])
	if owner == "false" && waiver != "true" {
		return o.invalid("constraints.order.pots.waiver.required", potsWaiverField, waiver)
	}
	name := o.fields.text(ntdOptionField)
	offered := slices.ContainsFunc(o.plan.NTDOptions, func(option NTDOption) bool { return option.Option == name })
	if name != "" && !offered {
		return o.invalid("constraints.order.ntd.option.invalid", ntdOptionField, name)
	}
	return nil
}

// ntdInfo returns the device that an order names, null if it names none.
func (o *order) ntdInfo() resource {
	name := o.fields.text(ntdOptionField)
	if name == "" {
		return nil
	}
	return resource{"name": name, "ntdType": "Indoor", "ntdVersion": "4"}
}
