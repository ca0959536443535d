package simulator

import (
	"cmp"
	"slices"
	"strings"
)

// orderInfo is the order of spec §2.
type orderInfo struct {
	ID                   int64             `json:"id"`
	Provider             string            `json:"provider"`
	OrderType            string            `json:"orderType"`
	Status               string            `json:"status"`
	ServiceClass         string            `json:"serviceClass"`
	TechnologyType       string            `json:"technologyType"`
	TrafficClass         string            `json:"trafficClass"`
	InstallationType     string            `json:"installationType"`
	CustomerRef          string            `json:"customerRef"`
	LocID                string            `json:"locId"`
	AVCID                *string           `json:"avcId"`
	AVCIDForTransfer     *string           `json:"avcIdForTransfer"`
	VLANID               *int64            `json:"vlanId"`
	POI                  *string           `json:"poi"`
	POIName              *string           `json:"poiName"`
	Region               string            `json:"region"`
	ESLA                 string            `json:"eSla"`
	BandwidthProfile     bandwidthProfile  `json:"bandwidthProfile"`
	Infrastructure       *orderInfraInfo   `json:"infrastructure"`
	Address              Address           `json:"address"`
	Fee                  fee               `json:"fee"`
	AdditionalFees       []additionalFee   `json:"additionalFees"`
	Appointments         []appointmentInfo `json:"appointments"`
	AggregationMethod    string            `json:"aggregationMethod"`
	LegacyTechnologyType *string           `json:"legacyTechnologyType"`
	TransferType         *string           `json:"transferType"`
	NTDOption            *orderNTDInfo     `json:"ntdOption"`
	ServiceID360         *int64            `json:"360ServiceId"`
	IsNFAS               bool              `json:"isNfas"`
	IsCancellable        bool              `json:"isCancellable"`
}

type bandwidthProfile struct {
	SpeedDown    int64   `json:"speedDown"`
	SpeedUp      int64   `json:"speedUp"`
	PlanName     string  `json:"planName"`
	CVCInclusion *string `json:"cvcInclusion"`
}

type orderInfraInfo struct {
	ID        string  `json:"id"`
	PortID    *string `json:"portId"`
	ProductID *string `json:"productId"`
}

type orderNTDInfo struct {
	Name       string `json:"name"`
	NTDType    string `json:"ntdType"`
	NTDVersion string `json:"ntdVersion"`
}

type additionalFee struct {
	AddOnTypeName string `json:"addOnTypeName"`
	Fee           fee    `json:"fee"`
}

// info returns the order as it was placed.
func (o *order) info(placed PlacedOrder) orderInfo {
	offers, body := &o.sim.catalog, o.fields
	info := orderInfo{
		ID: placed.ID, Provider: wholesaleSource, OrderType: "new", Status: statusOpen,
		ServiceClass: o.site.ServiceClass, TechnologyType: o.site.TechnologyType,
		TrafficClass:     strings.ToUpper(cmp.Or(body.text("trafficClass"), defaultTrafficClass)),
		InstallationType: cmp.Or(body.text("ntdInstallation"), noAction),
		CustomerRef:      placed.CustomerReference, LocID: o.site.LocationID,
		AVCIDForTransfer: orNull(body.text("avcIdForTransfer")), VLANID: body.numberOrNull("vlanId"),
		POI: orNull(o.site.POI), POIName: orNull(o.site.POIName), Region: cmp.Or(o.site.Region, "Urban"),
		ESLA: cmp.Or(body.text("restorationSla"), standard),
		BandwidthProfile: bandwidthProfile{
			SpeedDown: o.plan.SpeedDown, SpeedUp: o.plan.SpeedUp, PlanName: o.plan.Name,
		},
		Infrastructure: o.infraInfo(), Address: o.site.Address,
		Fee: offers.fee("", o.plan.Price, map[string]string{
			"plan": o.plan.Name, termField: string(body[termField]),
		}),
		AdditionalFees: o.additionalFees(), Appointments: []appointmentInfo{},
		AggregationMethod: body.text("aggregationMethod"), TransferType: orNull(body.text("transferType")),
		NTDOption: o.ntdInfo(),
		IsNFAS:    o.plan.NFASFee != nil, IsCancellable: true,
	}
	if o.transfer() {
		info.OrderType = "transfer" // spec §2: scenario 5
	}
	return info
}

func (o *order) infraInfo() *orderInfraInfo {
	if o.infra == nil {
		return nil
	}
	return &orderInfraInfo{ID: o.infra.ID, PortID: orNull(string(o.fields["portId"]))}
}

// additionalFees returns the fees of the order in addition to the plan's.
func (o *order) additionalFees() []additionalFee {
	charged := []additionalFee{}
	add := func(name, attribute, of string, price Price) {
		charged = append(charged, additionalFee{
			AddOnTypeName: name, Fee: o.sim.catalog.fee(name, price, map[string]string{attribute: of}),
		})
	}
	name := o.fields.text("restorationSla")
	if i := slices.IndexFunc(o.sim.catalog.slas, func(s SLA) bool { return s.Name == name }); i >= 0 {
		add("SLA", "sla", name, o.sim.catalog.slas[i].Price)
	}
	if o.site.NewDevelopmentsCharge != nil {
		add("NDF", "ndf", o.site.LocationID, *o.site.NewDevelopmentsCharge)
	}
	o.addInstallation(add)
	return charged
}

// addInstallation adds what the infrastructure of the order, and the way to install it, cost.
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
