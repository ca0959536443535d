package simulator

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

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
	// NTDInstallationFee is for the first NTD, SubsequentInstallationCharge for an additional one.
	NTDInstallationFee           *Price `json:"ntdInstallationFee,omitempty"`
	SubsequentInstallationCharge Price  `json:"subsequentInstallationCharge"`
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
	// RejectedAt is when the carrier rejects it, zero if it does not. The client is notified by an
	// OrderRejected event.
	RejectedAt time.Time `json:"rejectedAt"`
	// RejectedReason is the reason of the rejection.
	RejectedReason string `json:"rejectedReason,omitempty"`
}

// checkSites validates the data for orders and quotes.
func (s *Seed) checkSites() []error {
	var problems []error
	for i, build := range s.FibreBuilds {
		if !locationForm.MatchString(build.LocationID) {
			problems = append(problems, fmt.Errorf("fibreBuilds[%d]: locationId is LOC and 12 digits", i))
		}
	}
	for i := range s.Qualifications {
		site := &s.Qualifications[i]
		if !locationForm.MatchString(site.LocationID) || site.QualificationSearchID == "" {
			problems = append(problems,
				fmt.Errorf("qualifications[%d]: qualificationSearchId and locationId (LOC and 12 digits) are required", i))
		}
		problems = append(problems, site.checkPorts()...)
	}
	return problems
}

func (q *Qualification) checkPorts() []error {
	problems := checkPrice(q.QualificationSearchID, q.SubsequentInstallationCharge)
	for _, price := range []*Price{q.NTDInstallationFee, q.NewDevelopmentsCharge} {
		if price != nil {
			problems = append(problems, checkPrice(q.QualificationSearchID, *price)...)
		}
	}
	for _, infra := range q.Infrastructures {
		for _, port := range infra.Ports {
			problems = append(problems, checkPrice(infra.ID, port.TransferFee)...)
			if err := port.checkPair(); err != nil {
				problems = append(problems, fmt.Errorf("%s: port %d: %w", infra.ID, port.ID, err))
			}
		}
	}
	return problems
}

// The statuses of a copper pair (spec §2 scenarios 5, 8 and 9).
const (
	lineInUse  = "Line In Use"
	pairActive = "Active"
)

// inUse applies scenarios 5 and 9: a port or pair with a service, no matter who holds the line.
func (p *Port) inUse() bool {
	return p.Used || p.ServiceStatus == lineInUse || p.CopperPairStatus == pairActive
}

// checkPair applies scenario 8: if one of the two is set, the other is null.
func (p *Port) checkPair() error {
	if p.ServiceStatus != "" && p.CopperPairStatus != "" {
		return errors.New("serviceStatus and copperPairStatus exclude each other")
	}
	if !slices.Contains([]string{"", lineInUse, "Line Not In Use"}, p.ServiceStatus) {
		return fmt.Errorf("serviceStatus: %q", p.ServiceStatus)
	}
	if !slices.Contains([]string{"", pairActive, "Inactive"}, p.CopperPairStatus) {
		return fmt.Errorf("copperPairStatus: %q", p.CopperPairStatus)
	}
	return nil
}

func (s *Service) checkOutcomes() []error {
	var problems []error
	outcomes := []Outcome{OutcomeFails, OutcomeStalls, OutcomeTimesOut}
	for operation, outcome := range s.Outcomes {
		if !knownOperation(Operation(operation)) || !slices.Contains(outcomes, outcome) {
			problems = append(problems, fmt.Errorf("service %d: outcomes.%s: %q", s.ID, operation, outcome))
		}
	}
	return problems
}
