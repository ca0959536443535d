package simulator

import (
	"cmp"
	"strings"
)

// info returns the order of spec §2, as it was placed.
func (o *order) info(placed PlacedOrder) resource {
	offers, body := &o.sim.catalog, o.fields
	info := resource{
		"id": placed.ID, "provider": wholesaleSource, "orderType": "new", statusField: statusOpen,
		"serviceClass": o.site.ServiceClass, "technologyType": o.site.TechnologyType,
		"trafficClass": o.trafficClass(), "installationType": cmp.Or(body.text("ntdInstallation"), noAction),
		"customerRef": placed.CustomerReference, "locId": o.site.LocationID, "avcId": nil,
		"avcIdForTransfer": orNull(body.text("avcIdForTransfer")), "vlanId": body.numberOrNull("vlanId"),
		"poi": orNull(o.site.POI), "poiName": orNull(o.site.POIName), "region": o.region(),
		"eSla": cmp.Or(body.text("restorationSla"), standard),
		"bandwidthProfile": resource{
			"speedDown": o.plan.SpeedDown, "speedUp": o.plan.SpeedUp, "planName": o.plan.Name, "cvcInclusion": nil,
		},
		"infrastructure": o.infraInfo(), "address": o.site.Address,
		"fee":            offers.fee("", o.plan.Price, resource{"plan": o.plan.Name, termField: string(body[termField])}),
		"additionalFees": o.additionalFees(), "appointments": []resource{},
		"aggregationMethod": body.text("aggregationMethod"), "legacyTechnologyType": nil,
		"transferType": orNull(body.text("transferType")), "ntdOption": o.ntdInfo(), "360ServiceId": nil,
		"isNfas": o.plan.NFASFee != nil, "isCancellable": true,
	}
	if o.transfer() {
		info["orderType"] = "transfer" // spec §2: scenario 5
	}
	return info
}

func (o *order) trafficClass() string {
	return strings.ToUpper(cmp.Or(o.fields.text("trafficClass"), defaultTrafficClass))
}

func (o *order) region() string { return cmp.Or(o.site.Region, "Urban") }

func (o *order) infraInfo() resource {
	if o.infra == nil {
		return nil
	}
	return resource{"id": o.infra.ID, "portId": orNull(string(o.fields["portId"])), "productId": nil}
}

// additionalFees returns the fees of the order in addition to the plan's.
func (o *order) additionalFees() []resource {
	charged := []resource{}
	add := func(name, attribute, of string, price Price) {
		charged = append(charged, resource{
			"addOnTypeName": name, "fee": o.sim.catalog.fee(name, price, resource{attribute: of}),
		})
	}
	if sla := o.sim.catalog.slaNamed(o.fields.text("restorationSla")); sla != nil {
		add("SLA", "sla", sla.Name, sla.Price)
	}
	if o.site.NewDevelopmentsCharge != nil {
		add("NDF", "ndf", o.site.LocationID, *o.site.NewDevelopmentsCharge)
	}
	o.addInstallation(add)
	return charged
}

// addInstallation adds the costs of the order's infrastructure and of the way to install it.
func (o *order) addInstallation(add func(name, attribute, of string, price Price)) {
	byTechnician := o.fields.text("ntdInstallation") == technician
	if byTechnician && o.site.TechnicianFee != nil {
		add("WHOLESALE_TECHNICIAN_FOR_INSTALL", "installation", technician, *o.site.TechnicianFee)
	}
	switch {
	case o.transfer():
		add("SERVICE_TRANSFER_FEE", "service_transfer_fee", o.infra.ID, o.port.TransferFee)
	case o.additional() && byTechnician: // spec §2 scenario 4
		add("SUBSEQUENT_INSTALLATION_CHARGE", "installation", o.site.LocationID, o.site.SubsequentInstallationCharge)
	case o.infra == nil && !o.additional() && o.site.NTDInstallationFee != nil:
		add("NTD_INSTALLATION_FEE", "ntd_installation_fee", o.site.LocationID, *o.site.NTDInstallationFee)
	}
}
