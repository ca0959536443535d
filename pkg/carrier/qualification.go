package carrier

import (
	"encoding/json"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/identifier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// Qualification is the result of a service qualification, on which an order is based (spec §2,
// service qualification result). Its endpoint is not documented; the document is obtained
// elsewhere.
type Qualification struct {
	QualificationSearchID       string   `json:"qualificationSearchId"`       // for the order
	RemoteQualificationSearchID string   `json:"remoteQualificationSearchId"` // for the order
	OrderID                     string   `json:"orderId"`
	SQType                      string   `json:"sqType"`
	LocationID                  string   `json:"locationId"` // LOC and 12 digits
	SourceType                  string   `json:"sourceType"`
	TechnologyType              string   `json:"technologyType"`
	AccessTechnology            string   `json:"accessTechnology"`
	AccessTechnologyDescription string   `json:"accessTechnologyDescription"`
	ServiceClass                string   `json:"serviceClass"`
	ServiceClassDescription     string   `json:"serviceClassDescription"`
	Status                      string   `json:"status"`
	Address                     string   `json:"address"` // JSON text if it is an object
	AddressDetails              Address  `json:"addressDetails"`
	AllowedAggregationMethods   []string `json:"allowedAggregationMethods"`
	AlternativeAccessTechnology string   `json:"alternativeAccessTechnology"`
	AVCID                       string   `json:"avcId"`
	Latitude                    Number   `json:"latitude"`  // degrees
	Longitude                   Number   `json:"longitude"` // degrees
	NTDSelfInstallEligible      bool     `json:"ntdSelfInstallEligible"`
	POIID                       string   `json:"poiId"` // point of interconnect
	POIName                     string   `json:"poiName"`
	POTSInterconnect            string   `json:"potsInterconnect"`
	Region                      string   `json:"region"`

	AvailableProducts      QualifiedProducts    `json:"availableProducts"`
	InstallationOptions    []InstallationOption `json:"infrastructureInstallationOptions"` // for order scenario 4
	Infrastructures        []Infrastructure     `json:"infrastructures"`                   // empty in order scenario 1
	GenerationTwoNTDs      []QualifiedNTD       `json:"generationTwoNtds"`
	ReplacementNTDs        []QualifiedNTD       `json:"replacementNtds"`
	FirstOrAdditionalPlans []QualifiedPlan      `json:"firstOrAdditionalNtdPlans"`
	GenerationOnePlans     []QualifiedPlan      `json:"generationOneNtdPlans"`
	GenerationTwoPlans     []QualifiedPlan      `json:"generationTwoNtdPlans"`
	NewDevelopmentsCharge  QualifiedCharge      `json:"newDevelopmentsCharge"`
	OrderSLAs              []json.RawMessage    `json:"orderSlas"` // shape not documented
	RestorationSLAs        []QualifiedSLA       `json:"restorationSlas"`
}

// QualifiedProducts is a list of products. On the wire it is an array. In an older form, it is an
// object, either a single product or an object of products by name. All of them are included.
type QualifiedProducts []QualifiedProduct

func (p *QualifiedProducts) readWire(d jsondoc.Value) {
	*p = nil
	if !d.IsObject() || d.Has("id", "name", "planOptions") {
		readList((*[]QualifiedProduct)(p), d)
		return
	}
	for _, value := range d.Members() {
		if value.IsArray() || value.IsObject() {
			var part []QualifiedProduct
			readList(&part, value)
			*p = append(*p, part...)
		}
	}
}

// QualifiedProduct is a product that can be ordered.
type QualifiedProduct struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Options     []json.RawMessage `json:"options"` // shape not documented
	PlanOptions []struct {
		PlanName  string `json:"planName"`
		SpeedDown Speed  `json:"speedDown"`
		SpeedUp   Speed  `json:"speedUp"`
	} `json:"planOptions"`
}

// DecodeQualification reads a qualification result that did not come from a call of the client. Its
// identifiers may contain the carrier's own word, if the carrier wrote them, or the specification's
// word, if a person did. The error is an [Error] of class Unreadable.
func DecodeQualification(word string, body []byte) (Qualification, error) {
	own, err := identifier.NewWord(word)
	if err != nil {
		return Qualification{}, undecodable("", err)
	}
	return decode[Qualification]("", own.FromWire(body))
}
