package carrier

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/identifier"
)

// NTDInstallation states who installs the device; other values are kept.
type NTDInstallation string

// The kinds of installation (spec §2).
const (
	InstallTech     NTDInstallation = "wholesale-tech"
	InstallNoAction NTDInstallation = "wholesale-no-action"
	InstallDispatch NTDInstallation = "wholesale-dispatch"
)

// TransferType states how an in-use infrastructure is taken over (spec §2, order scenarios 5 to 7).
type TransferType string

// The transfer types.
const (
	ServiceTransfer    TransferType = "SERVICE_TRANSFER"    // an AVC id is given
	ConnectOutstanding TransferType = "CONNECT_OUTSTANDING" // no valid AVC id is available, and none is sent
)

// OrderRequest orders a service (spec §2, order creation request body). The specification does not
// say which fields are required. Empty fields are omitted.
type OrderRequest struct {
	PlanName                    string            `json:"planName,omitempty"`
	Term                        int               `json:"term,omitempty"`                        // in months
	TrafficClass                string            `json:"trafficClass,omitempty"`                // such as tc4
	RemoteQualificationSearchID string            `json:"remoteQualificationSearchId,omitempty"` // from the qualification
	QualificationSearchID       string            `json:"qualificationSearchId,omitempty"`       // from the qualification
	LocationID                  string            `json:"locationId,omitempty"`
	RemoteOrderID               string            `json:"remoteOrderId,omitempty"`
	ProductType                 string            `json:"productType,omitempty"` // such as Access Only
	RestorationSLA              string            `json:"restorationSla,omitempty"`
	ContactName                 string            `json:"contactName,omitempty"`
	ContactPhone                string            `json:"contactPhone,omitempty"`
	ContactEmail                string            `json:"contactEmail,omitempty"`
	InfrastructureID            InfrastructureID  `json:"infrastructureId"`
	PortID                      *int64            `json:"portId,omitempty"`      // of the chosen NTD; nil is omitted
	RequireVLAN                 *bool             `json:"requireVLAN,omitempty"` // nil is omitted
	VLANID                      int64             `json:"vlanId,omitempty"`
	NTDInstallation             NTDInstallation   `json:"ntdInstallation,omitempty"`
	CustomerReference           string            `json:"customerReference,omitempty"`
	AggregationMethod           AggregationMethod `json:"aggregationMethod,omitempty"`
	AVCIDForTransfer            string            `json:"avcIdForTransfer,omitempty"` // only for in-use infrastructure
	TransferType                TransferType      `json:"transferType,omitempty"`     // only for in-use infrastructure

	// Fields that the specification does not have. An account switches them on as the extension
	// OrderFields.
	POTSServiceOwner *bool        `json:"potsServiceOwner,omitempty"` // of the line; nil is omitted
	POTSWaiver       *bool        `json:"potsWaiver,omitempty"`       // nil is omitted
	QuoteName        string       `json:"quoteName,omitempty"`        // at most 50 characters
	NTDOption        string       `json:"ntdOption,omitempty"`        // for plans that offer a choice of NTDs
	Extra            []ExtraField `json:"-"`
}

// InfrastructureID is the id of an installation at a location. The first one has no id yet, so empty
// is sent as null.
type InfrastructureID string

// MarshalJSON writes null for an empty id.
func (i InfrastructureID) MarshalJSON() ([]byte, error) {
	if i == "" {
		return []byte("null"), nil
	}
	return encode(string(i)), nil
}

// ExtraField is a field that a carrier has added to its API.
type ExtraField struct {
	Name  string
	Value string // a JSON scalar
}

// Body returns the request as it is sent, with the keys in the order of the specification's table.
func (r OrderRequest) Body() []byte {
	source := []byte(`{"sourceType":"` + identifier.SpecWord + `",`)
	return withExtra(append(source, encode(r)[1:]...), r.Extra)
}

// Format writes the fields that identify the order, without contact details, for every verb.
func (r OrderRequest) Format(f fmt.State, _ rune) { printTo(f, r.LogValue().String()) }

// LogValue returns the fields that identify the order, without contact details.
func (r OrderRequest) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("customerReference", r.CustomerReference),
		slog.String("locationId", r.LocationID),
		slog.String("planName", r.PlanName),
		slog.Int("term", r.Term),
	)
}

// OrderType states whether an order is for a new service or a transfer; other values are kept.
type OrderType string

// The order types (spec §2).
const (
	OrderNew      OrderType = "new"
	OrderTransfer OrderType = "transfer"
)

// OrderOpen is the status of a new order. Other values and transitions are not documented (spec
// §3).
const OrderOpen = "OPEN"

// Order is the carrier's response to an order (spec §2). The specification has no way to read it
// again; see [Client.Order].
type Order struct {
	ID                   int64             `json:"id"`
	Provider             string            `json:"provider"` // wholesale
	OrderType            OrderType         `json:"orderType"`
	Status               string            `json:"status"` // OPEN on creation
	ServiceClass         string            `json:"serviceClass"`
	TechnologyType       string            `json:"technologyType"` // such as FTTP
	TrafficClass         string            `json:"trafficClass"`   // such as TC4
	InstallationType     NTDInstallation   `json:"installationType"`
	CustomerRef          string            `json:"customerRef"` // echo of customerReference
	LocationID           string            `json:"locId"`
	AVCID                string            `json:"avcId"`
	AVCIDForTransfer     string            `json:"avcIdForTransfer"`
	VLANID               int64             `json:"vlanId"` // zero: none
	POI                  string            `json:"poi"`
	POIName              string            `json:"poiName"`
	Region               string            `json:"region"`
	ESLA                 string            `json:"eSla"` // order SLA
	BandwidthProfile     BandwidthProfile  `json:"bandwidthProfile"`
	Infrastructure       *OrderedInfra     `json:"infrastructure"` // nil: none yet
	Address              Address           `json:"address"`
	Fee                  *Fee              `json:"fee"` // plan fee
	AdditionalFees       []AdditionalFee   `json:"additionalFees"`
	Appointments         []json.RawMessage `json:"appointments"` // shape not documented
	AggregationMethod    AggregationMethod `json:"aggregationMethod"`
	LegacyTechnologyType string            `json:"legacyTechnologyType"`
	TransferType         TransferType      `json:"transferType"`
	NTDOption            *OrderedNTD       `json:"ntdOption"`
	ServiceID            int64             `json:"360ServiceId"` // the service created by the order; zero: not given
	IsNFAS               bool              `json:"isNfas"`
	IsCancellable        bool              `json:"isCancellable"`
	RejectedReason       string            `json:"rejectedReason"` // only of an order that is read
	RejectedOn           Timestamp         `json:"rejectedOn"`     // only of an order that is read
}

// BandwidthProfile is the plan of an order.
type BandwidthProfile struct {
	SpeedDown    Number `json:"speedDown"`
	SpeedUp      Number `json:"speedUp"`
	PlanName     string `json:"planName"`
	CVCInclusion string `json:"cvcInclusion"`
}

// OrderedInfra is the infrastructure of an order.
type OrderedInfra struct {
	ID        string `json:"id"`
	PortID    string `json:"portId"`
	ProductID string `json:"productId"`
}

// OrderedNTD is the network termination device of an order.
type OrderedNTD struct {
	Name       string `json:"name"`
	NTDType    string `json:"ntdType"`
	NTDVersion string `json:"ntdVersion"`
}

// Address is the address of an installation.
type Address struct {
	BuildingLevel    string `json:"buildingLevel"`
	UnitNumber       string `json:"unitNumber"`
	BuildingName     string `json:"buildingName"`
	StreetNumber     string `json:"streetNumber"`
	Street           string `json:"street"`
	Suburb           string `json:"suburb"`
	State            string `json:"state"`
	Postcode         string `json:"postcode"`
	FormattedAddress string `json:"formattedAddress"`
}

// The names of additional fees observed (spec §2).
const (
	FeeSLA                    = "SLA"
	FeeNDF                    = "NDF" // new developments
	FeeNTDInstallation        = "NTD_INSTALLATION_FEE"
	FeeServiceTransfer        = "SERVICE_TRANSFER_FEE"
	FeeSubsequentInstallation = "SUBSEQUENT_INSTALLATION_CHARGE"
	FeeTechnician             = "WHOLESALE_TECHNICIAN_FOR_INSTALL"
)

// AdditionalFee is a fee in addition to the plan's.
type AdditionalFee struct {
	AddOnTypeName string `json:"addOnTypeName"` // such as SLA, NDF, SERVICE_TRANSFER_FEE
	Fee           *Fee   `json:"fee"`
}

// DecodeOrder reads the response to an order. The error is an [Error] of class Unreadable.
func DecodeOrder(body []byte) (Order, error) { return decode[Order](OrderCreate, body) }
