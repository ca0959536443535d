package simulator

import "time"

// Service is a service as the carrier has it. Ids that are left out are made from the service's
// own id.
type Service struct {
	ID int64 `json:"id"`
	// Client is the name of the client that owns it; to all others it does not exist.
	Client string `json:"client"`
	// SourceType is the source of the connection; anything but "wholesale" is the alternate source.
	SourceType string `json:"sourceType,omitempty"`
	// TechnologyType is for example FTTP (when empty), FTTN or FTTC.
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
	// AVCID is the virtual circuit; an empty text is a circuit that is not set and is answered as
	// null.
	AVCID *string `json:"avcId,omitempty"`
	PRIID string  `json:"priId,omitempty"`
	// Contact is who is asked for at an NTD installation when a plan change names nobody.
	Contact Contact `json:"contact"`
	// Health is what a health request finds.
	Health Health `json:"health"`
	// Cancellation is the service's cancellation, nil when none was requested.
	Cancellation *Cancellation `json:"cancellation,omitempty"`
	// NotCancellable says that the service is not eligible for cancellation.
	NotCancellable bool `json:"notCancellable,omitempty"`
	// ReclaimableUntil is the last day on which a cancelled service can be reclaimed; empty when its
	// disconnection is not reversible.
	ReclaimableUntil string `json:"reclaimableUntil,omitempty"`
	// Disruptions are the works and outages that touch the service.
	Disruptions []Disruption `json:"disruptions,omitempty"`
	// Outcomes says how requests end, by the name of their operation; they complete when it does not.
	Outcomes map[string]Outcome `json:"outcomes,omitempty"`
}

// Outcome is how the requests of a service end.
type Outcome string

// The outcomes that a seed can give.
const (
	OutcomeFails    Outcome = "Fails"    // in error, or failed
	OutcomeStalls   Outcome = "Stalls"   // IN_ERROR for half of its time, then completed
	OutcomeTimesOut Outcome = "TimesOut" // a diagnostic test that timed out
)

// Disruption is a scheduled work or an outage.
type Disruption struct {
	ID          string     `json:"wholesaleDisruptionId"`
	Type        string     `json:"type"` // scheduled or unscheduled
	StartAt     time.Time  `json:"maintenanceStartAt"`
	EndAt       *time.Time `json:"maintenanceEndAt,omitempty"` // nil while nobody knows
	Description string     `json:"description,omitempty"`
	Severity    string     `json:"severity,omitempty"`
	Category    string     `json:"category,omitempty"`
	// Status is ACTIVE, SCHEDULED or COMPLETED; when empty it follows from the times and the clock.
	Status string `json:"status,omitempty"`
}

// Contact is a person at the site.
type Contact struct {
	Name  string `json:"name,omitempty"`
	Phone string `json:"phone,omitempty"`
	Email string `json:"email,omitempty"`
}

// Health is the state of a service as a health request reports it. Colors that are left out are
// Green.
type Health struct {
	// Fails lets every health request end with the status FAILED.
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

// NextAction is what the carrier advises.
type NextAction struct {
	Code        string `json:"code,omitempty"`
	Description string `json:"description,omitempty"`
}

// HealthCategory is a group of measured values.
type HealthCategory struct {
	Type  string       `json:"type"`
	Items []HealthItem `json:"items"`
}

// HealthItem is one measured value; what does not apply is null.
type HealthItem struct {
	Type   string  `json:"type"`
	ID     string  `json:"id"`
	Status *string `json:"status"`
	Unit   *string `json:"unit"`
	Value  *string `json:"value"`
}

// Cancellation is a cancellation request in the state in which the simulator starts.
type Cancellation struct {
	// Status is REQUESTED, IN_ERROR, IN_PROGRESS, COMPLETED, ABORTED or REJECTED.
	Status      string `json:"status"`
	RequestDate string `json:"requestDate"`
	ErrorDetail string `json:"errorDetail,omitempty"`
}
