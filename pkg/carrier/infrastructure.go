package carrier

import "github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"

// Infrastructure is an installation at a location: a network termination device or a copper pair.
// Either NTD or CopperPair is set, or neither if the carrier describes a third kind.
type Infrastructure struct {
	InfrastructureID    string               `json:"infrastructureId"`
	InstallationOptions []InstallationOption `json:"installationOptions"`

	// SubsequentInstallationCharge applies to any infrastructure but the first (order scenario 4).
	SubsequentInstallationCharge QualifiedCharge `json:"subsequentInstallationCharge"`

	NTD        *NTD        // the fields of a network termination device
	CopperPair *CopperPair // the fields of a copper pair
}

// NTD is the part of an infrastructure entry that describes a network termination device.
type NTD struct {
	NTDType                        string               `json:"ntdType"`
	NTDVersion                     string               `json:"ntdVersion"`
	NTDPowerType                   string               `json:"ntdPowerType"`
	BatteryPowerUnit               string               `json:"batteryPowerUnit"`
	NTDLocation                    string               `json:"ntdLocation"`
	Plans                          []QualifiedPlan      `json:"plans"`
	RemainingDownstreamBandwidth   Speed                `json:"remainingDownstreamBandwidth"`
	RemainingUpstreamBandwidth     Speed                `json:"remainingUpstreamBandwidth"`
	Ports                          []NTDPort            `json:"ntdPorts"`
	ReplacementPlans               []QualifiedPlan      `json:"replacementNtdPlans"`
	ReplacementInstallationOptions []InstallationOption `json:"replacementNtdInstallationOptions"`
}

// The statuses of an NTD port (spec §2); other values are kept.
const (
	PortUsed = "Used" // an order on it is a transfer (order scenario 5)
	PortFree = "Free"
)

// NTDPort is a port of a network termination device.
type NTDPort struct {
	PortID         string          `json:"portId"`
	PortName       string          `json:"portName"`
	UNIType        string          `json:"uniType"`
	Status         string          `json:"status"`         // Used or Free
	ReferencedData *ReferencedData `json:"referencedData"` // nil if free
	Fees           Fees            `json:"fees"`
	AVCIDMatch     *bool           `json:"avcIdMatch"`
}

// ReferencedData identifies the user of a port or a pair.
type ReferencedData struct {
	ProductInstanceID   string `json:"productInstanceId"`
	ServiceProviderID   string `json:"serviceProviderId"`
	ServiceProviderName string `json:"serviceProviderName"`
	Owner               string `json:"owner"`
}

// The statuses of a copper pair. If the carrier holds the line, serviceStatus is set; if another
// company does, copperPairStatus is. The other field is null (spec §2, order scenario 8).
const (
	LineInUse          = "Line In Use" // an order on it is a transfer (order scenario 5)
	LineNotInUse       = "Line Not In Use"
	CopperPairActive   = "Active"
	CopperPairInactive = "Inactive"
)

// CopperPair is the part of an infrastructure entry that describes a copper pair.
type CopperPair struct {
	ServiceabilityClass    string          `json:"serviceabilityClass"`
	ServiceStatus          string          `json:"serviceStatus"` // Line In Use, Line Not In Use; empty: another company's
	ServiceType            string          `json:"serviceType"`
	Recommended            bool            `json:"recommended"`
	Upstream               RateRange       `json:"upstream"`
	Downstream             RateRange       `json:"downstream"`
	ReferencedData         *ReferencedData `json:"referencedData"`
	CopperPairStatus       string          `json:"copperPairStatus"` // Active, Inactive; empty: the carrier's own
	HasActivePOTS          bool            `json:"hasActivePOTS"`
	POTSInterconnectMatch  *bool           `json:"potsInterconnectMatch"`
	POTSInterconnect       string          `json:"potsInterconnect"`
	NTDSelfInstallEligible bool            `json:"ntdSelfInstallEligible"`
	Fees                   Fees            `json:"fees"`
	NetworkCoexistence     string          `json:"networkCoexistence"`
	AVCIDMatch             *bool           `json:"avcIdMatch"`
}

// RateRange is the range of rates of a line.
type RateRange struct {
	LowerRate Speed `json:"lowerRate"`
	UpperRate Speed `json:"upperRate"`
}

// readWire reads the common fields, and those of the kind that the entry's keys indicate.
func (i *Infrastructure) readWire(d jsondoc.Value) {
	type plain Infrastructure
	*i = Infrastructure{}
	reader := newReader()
	reader.read((*plain)(i), d)
	switch {
	case d.Has("ntdType", "ntdPorts", "ntdVersion"):
		i.NTD = new(NTD)
		reader.read(i.NTD, d)
	case d.Has("copperPairStatus", "serviceStatus", "serviceabilityClass"):
		i.CopperPair = new(CopperPair)
		reader.read(i.CopperPair, d)
	}
}

// InUse reports whether an order on the port would be a transfer (order scenario 5).
func (p NTDPort) InUse() bool { return p.Status == PortUsed }

// InUse reports whether an order on the pair would be a transfer: the line is in use (order
// scenario 5), or another company has an active service on it (scenario 9).
func (p CopperPair) InUse() bool {
	return p.ServiceStatus == LineInUse || p.CopperPairStatus == CopperPairActive
}
