package simulator

import (
	"regexp"
	"time"
)

// FibreBuild is the price of building fibre to a qualified location.
type FibreBuild struct {
	LocationID   string `json:"locationId"`
	Zone         string `json:"zone,omitempty"`
	POIName      string `json:"poiName,omitempty"`
	DeliveryTime string `json:"estDeliveryTime,omitempty"`
	Category     string `json:"fibreBuildCategory,omitempty"`
	PriceType    string `json:"priceType,omitempty"`
	Name         string `json:"name,omitempty"`
	PriceCents   int64  `json:"priceValue"`
	ValidDays    int    `json:"validDays,omitempty"` // 90 when zero
}

// locationForm is the format of a locationId.
var locationForm = regexp.MustCompile(`^LOC\d{12}$`)

// Qualification has the parts of a service qualification that are relevant to orders.
type Qualification struct {
	QualificationSearchID       string `json:"qualificationSearchId"`
	RemoteQualificationSearchID string `json:"remoteQualificationSearchId,omitempty"`
	// Client is the client that requested it.
	Client         string  `json:"client"`
	LocationID     string  `json:"locationId"`
	TechnologyType string  `json:"technologyType,omitempty"` // FTTP when empty
	ServiceClass   string  `json:"serviceClass,omitempty"`
	Region         string  `json:"region,omitempty"`
	POI            string  `json:"poi,omitempty"`
	POIName        string  `json:"poiName,omitempty"`
	Address        Address `json:"address"`
	// AdditionalAllowed means that infrastructureInstallationOptions is populated.
	AdditionalAllowed bool `json:"additionalAllowed,omitempty"`
	// NTDInstallationFee is for the first NTD, and SubsequentInstallationCharge for an additional one
	// that a technician installs.
	NTDInstallationFee           *Price `json:"ntdInstallationFee,omitempty"`
	SubsequentInstallationCharge Price  `json:"subsequentInstallationCharge"`
	// TechnicianFee is for a technician who installs what is ordered; nil if that is free.
	TechnicianFee *Price `json:"technicianFee,omitempty"`
	// NewDevelopmentsCharge is nil if there is none.
	NewDevelopmentsCharge *Price           `json:"newDevelopmentsCharge,omitempty"`
	Infrastructures       []Infrastructure `json:"infrastructures,omitempty"`
}

// Address is the address of a location.
type Address struct {
	BuildingLevel    *string `json:"buildingLevel"`
	UnitNumber       *string `json:"unitNumber"`
	BuildingName     *string `json:"buildingName"`
	StreetNumber     string  `json:"streetNumber"`
	Street           string  `json:"street"`
	Suburb           string  `json:"suburb"`
	State            string  `json:"state"`
	Postcode         string  `json:"postcode"`
	FormattedAddress string  `json:"formattedAddress"`
}

// Infrastructure is an NTD with its ports, or a copper pair, which has only port 0.
type Infrastructure struct {
	ID string `json:"id"`
	// RemainingDown is the remaining bandwidth, in MBit/s.
	RemainingDown int64 `json:"remainingDown,omitempty"`
	// ReplacementDown is the remaining bandwidth of a replacement NTD; 0 if there is none.
	ReplacementDown int64  `json:"replacementDown,omitempty"`
	Ports           []Port `json:"ports"`
}

// Port is a port of an NTD, or a copper pair.
type Port struct {
	ID int64 `json:"portId"`
	// Used means that the NTD port has a service. AVCID is its AVC, if the carrier knows it.
	Used  bool   `json:"used,omitempty"`
	AVCID string `json:"avcId,omitempty"`
	// ServiceStatus of a copper pair is "Line In Use" or "Line Not In Use" if the carrier holds the
	// line. CopperPairStatus is "Active" or "Inactive" if another company does. At most one is set.
	ServiceStatus    string `json:"serviceStatus,omitempty"`
	CopperPairStatus string `json:"copperPairStatus,omitempty"`
	TransferFee      Price  `json:"transferFee"`
}

// PlacedOrder is an order at the carrier.
type PlacedOrder struct {
	ID                int64     `json:"id"`
	Client            string    `json:"client"`
	CustomerReference string    `json:"customerReference,omitempty"`
	PlacedAt          time.Time `json:"placedAt"`
	// RejectedAt is when the carrier rejects the order, zero if it does not. The client is notified
	// by an OrderRejected event.
	RejectedAt time.Time `json:"rejectedAt"`
	// RejectedReason is the reason for the rejection.
	RejectedReason string `json:"rejectedReason,omitempty"`
	// Contact is the contact of the order.
	Contact Contact `json:"contact,omitzero"`
	// CompletesAt is when the order becomes the service with ServiceID, zero if it does not.
	CompletesAt time.Time `json:"completesAt,omitzero"`
	ServiceID   int64     `json:"serviceId,omitempty"`
	// AppointmentCancelledAt is when the carrier cancelled its appointment, zero if it did not.
	AppointmentCancelledAt time.Time `json:"appointmentCancelledAt,omitzero"`
}

// The statuses of a copper pair (spec §2 scenarios 5, 8 and 9).
const (
	lineInUse  = "Line In Use"
	pairActive = "Active"
)

// inUse applies scenarios 5 and 9: a port or pair is in use if it has a service, no matter who
// holds the line.
func (p *Port) inUse() bool {
	return p.Used || p.ServiceStatus == lineInUse || p.CopperPairStatus == pairActive
}
