package carrier

import (
	"context"
	"fmt"
	"net/http"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// ServiceReadContract returns the versions in which a service can be read. Reading is not an
// operation, because it requests nothing from the carrier.
func ServiceReadContract() Contract {
	const first = 4
	return Contract{Operation: ServiceRead, MinVersion: first, MaxVersion: versionLast}
}

// Service is a service as the carrier describes it. The specification does not have this resource.
// An account switches it on as the extension ServiceRead. Null and missing fields are empty.
type Service struct {
	ID                      int64               `json:"id"`
	CustomerRef             string              `json:"customerRef"`
	ActivatedOn             Timestamp           `json:"wholesaleServiceActivatedOn"`
	TechnologyType          string              `json:"technologyType"` // such as FTTP, FTTN, FTTC
	LegacyTechnologyType    string              `json:"legacyTechnologyType"`
	TrafficClass            string              `json:"trafficClass"` // such as TC4
	LocationID              string              `json:"locId"`
	AVCID                   string              `json:"avcId"`
	VLANID                  string              `json:"vlanId"`
	POI                     string              `json:"poi"` // code and name in one
	Region                  string              `json:"region"`
	RestorationSLA          string              `json:"eSla"` // in the spelling of requests
	BandwidthProfile        BandwidthProfile    `json:"bandwidthProfile"`
	Infrastructure          *OrderedInfra       `json:"infrastructure"`
	Address                 Address             `json:"address"`
	ModifiedOn              Timestamp           `json:"modifiedOn"` // a day or a date-time
	AggregationMethod       AggregationMethod   `json:"aggregationMethod"`
	SubscriberSTag          string              `json:"subscriberSTag"`      // set with ETHERNET
	SubscriberCTag          string              `json:"subscriberCTag"`      // set with ETHERNET
	DSLStabilityProfile     DSLStabilityProfile `json:"dslStabilityProfile"` // empty if it is not a DSL line
	IsNFAS                  bool                `json:"isNfas"`
	HasNFASCommitment       bool                `json:"hasNfasCommitment"`
	NFASCommitmentExpiresOn Timestamp           `json:"nfasCommitmentExpiresOn"`
	Modifications           Modifications       `json:"modifications"`
}

// Modifications are the modifications of a service, exactly as the carrier wrote them. Their
// form is not known: they only prove that there are some. It is nil if there are none.
type Modifications []byte

// maxModifications limits how many bytes of [Modifications] are kept.
const maxModifications = 4 << 10

func (m *Modifications) readWire(d jsondoc.Value) {
	*m = nil
	if !isVoid(d, maxVoidNesting) {
		*m = append(*m, d[:min(len(d), maxModifications)]...)
	}
}

// maxVoidNesting limits how deep a value is searched. A value that is nested more deeply counts as
// not empty.
const maxVoidNesting = 8

// isVoid reports whether a value contains nothing: it is null, an empty text, or a list or an object
// of such values.
func isVoid(d jsondoc.Value, depth int) bool {
	switch {
	case !d.IsArray() && !d.IsObject():
		return d.Text() == ""
	case depth == 0:
		return false
	}
	for element := range d.Elements() {
		if !isVoid(element, depth-1) {
			return false
		}
	}
	for _, value := range d.Members() {
		if !isVoid(value, depth-1) {
			return false
		}
	}
	return true
}

// Service reads a service: a plain GET at the given version, of the extension ServiceRead. The
// error is an [Error]. A response about another service, or about none, is of class Unreadable.
func (c *Client) Service(ctx context.Context, serviceID int64, version int) (Service, error) {
	k := call{
		reads:  ServiceRead,
		method: http.MethodGet, path: fmt.Sprintf("/api/connect/services/%d", serviceID), version: version,
	}
	if serviceID <= 0 {
		return Service{}, invalidServiceID(k)
	}
	found, err := readResource[Service](ctx, c, k)
	switch {
	case err != nil:
		return Service{}, err
	case found.ID != 0 && found.ID != serviceID:
		return Service{}, unreadable(k, errOtherService)
	case found.describesNothing():
		return Service{}, unreadable(k, errNoService)
	}
	found.ID = serviceID
	return found, nil
}

// describesNothing reports whether a response has none of the values for which a service is read.
func (s Service) describesNothing() bool {
	return s.BandwidthProfile.PlanName == "" && s.RestorationSLA == "" && s.AggregationMethod == ""
}
