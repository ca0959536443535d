package simulator

import "time"

// Service is a service at the carrier. Omitted ids are derived from the service's own id.
type Service struct {
	ID int64 `json:"id"`
	// Client is the name of the client that owns it. For all others it does not exist.
	Client string `json:"client"`
	// SourceType is the source of the connection. Any value but "wholesale" is the alternate source.
	SourceType string `json:"sourceType,omitempty"`
	// TechnologyType is a technology such as FTTP, FTTN or FTTC; FTTP when empty.
	TechnologyType string `json:"technologyType,omitempty"`
	// TrafficClass is TC4 when empty.
	TrafficClass        string `json:"trafficClass,omitempty"`
	Plan                string `json:"plan"`
	Term                int64  `json:"term,omitempty"`
	RestorationSLA      string `json:"restorationSla,omitempty"`
	AggregationMethod   string `json:"aggregationMethod,omitempty"`
	DSLStabilityProfile string `json:"dslStabilityProfile,omitempty"`
	WholesaleServiceID  string `json:"wholesaleServiceId,omitempty"`
	LocationID          string `json:"locationId,omitempty"`
	// AVCID is the virtual circuit. An empty text means that there is no circuit, and is returned as
	// null.
	AVCID *string `json:"avcId,omitempty"`
	PRIID string  `json:"priId,omitempty"`
	// Only a read of the service shows the next nine fields (extension ServiceRead).
	CustomerReference    string  `json:"customerReference,omitempty"`
	LegacyTechnologyType string  `json:"legacyTechnologyType,omitempty"`
	VLANID               string  `json:"vlanId,omitempty"`
	POI                  string  `json:"poi,omitempty"`
	POIName              string  `json:"poiName,omitempty"`
	Region               string  `json:"region,omitempty"`
	InfrastructureID     string  `json:"infrastructureId,omitempty"`
	PortID               string  `json:"portId,omitempty"` // empty for a copper pair
	Address              Address `json:"address"`
	// ActivatedAt is when the carrier connected the service. Before that, it does not exist.
	ActivatedAt time.Time `json:"activatedAt,omitzero"`
	// Contact is the contact for an NTD installation if a plan change has none.
	Contact Contact `json:"contact"`
	// Health is the result of a health request.
	Health Health `json:"health"`
	// Cancellation is the service's cancellation, nil if none was requested.
	Cancellation *Cancellation `json:"cancellation,omitempty"`
	// NotCancellable means that the service is not eligible for cancellation.
	NotCancellable bool `json:"notCancellable,omitempty"`
	// ReclaimableUntil is the last day on which a cancelled service can be reclaimed; empty if its
	// disconnection is not reversible.
	ReclaimableUntil string `json:"reclaimableUntil,omitempty"`
	// Disruptions are the maintenances and outages of the service.
	Disruptions []Disruption `json:"disruptions,omitempty"`
	// Outcomes states how requests end, by the name of their operation. All other requests complete.
	Outcomes map[string]Outcome `json:"outcomes,omitempty"`
}

// Outcome is how the requests of a service end.
type Outcome string

// The outcomes that a seed can give.
const (
	OutcomeFails    Outcome = "Fails"    // in error, or failed
	OutcomeStalls   Outcome = "Stalls"   // in error for half of its time, then completed
	OutcomeTimesOut Outcome = "TimesOut" // a diagnostic test that times out
)

// Disruption is a scheduled maintenance or an outage.
type Disruption struct {
	ID          string     `json:"wholesaleDisruptionId"`
	Type        string     `json:"type"` // scheduled or unscheduled
	StartAt     time.Time  `json:"maintenanceStartAt"`
	EndAt       *time.Time `json:"maintenanceEndAt,omitempty"` // nil while unknown
	Description string     `json:"description,omitempty"`
	Severity    string     `json:"severity,omitempty"`
	Category    string     `json:"category,omitempty"`
	// Status is ACTIVE, SCHEDULED or COMPLETED; when empty it is derived from the times and the clock.
	Status string `json:"status,omitempty"`
}

// Contact is a person at the site.
type Contact struct {
	Name  string `json:"name,omitempty"`
	Phone string `json:"phone,omitempty"`
	Email string `json:"email,omitempty"`
}

// Health is the state of a service in a health request. Omitted colors are Green.
type Health struct {
	// Fails makes every health request end with the status FAILED.
	Fails        bool             `json:"fails,omitempty"`
	Code         string           `json:"code,omitempty"`
	Status       string           `json:"status,omitempty"`
	AlertMessage string           `json:"alertMessage,omitempty"`
	Summary      string           `json:"summary,omitempty"`
	NextAction   NextAction       `json:"nextAction"`
	Connectivity string           `json:"connectivity,omitempty"`
	Performance  string           `json:"performance,omitempty"`
	Stability    string           `json:"stability,omitempty"`
	Categories   []HealthCategory `json:"categories,omitempty"`
	HRIID        string           `json:"hriId,omitempty"`
	ErrorDetail  string           `json:"errorDetail,omitempty"`
}

// NextAction is the action that the carrier recommends.
type NextAction struct {
	Code        string `json:"code,omitempty"`
	Description string `json:"description,omitempty"`
}

// HealthCategory is a group of measured values.
type HealthCategory struct {
	Type  string       `json:"type"`
	Items []HealthItem `json:"items"`
}

// HealthItem is one measured value. A field that does not apply is null.
type HealthItem struct {
	Type   string  `json:"type"`
	ID     string  `json:"id"`
	Status *string `json:"status"`
	Unit   *string `json:"unit"`
	Value  *string `json:"value"`
}

// Cancellation is the initial state of a cancellation request.
type Cancellation struct {
	// Status is REQUESTED, IN_ERROR, IN_ERROR_RETRY, IN_PROGRESS, COMPLETED, ABORTED or REJECTED.
	Status      string `json:"status"`
	RequestDate string `json:"requestDate"`
	ErrorDetail string `json:"errorDetail,omitempty"`
}
