package carrier

import "cmp"

// HealthRequest requests the state of a service (spec §4, Service health).
type HealthRequest struct {
	ServiceID int64 `json:"serviceId,omitempty"` // required
}

// Body returns the request as it is sent.
func (r HealthRequest) Body() []byte { return encode(r) }

// HealthStatus is the status of a health request; other values are kept.
type HealthStatus string

// The documented statuses (spec §2 and §3).
const (
	HealthOpen         HealthStatus = "OPEN"           // 202
	HealthInProgress   HealthStatus = "IN_PROGRESS"    // 202
	HealthCompleted    HealthStatus = "COMPLETED"      // 200
	HealthInError      HealthStatus = "IN_ERROR"       // 422: there is no result
	HealthInErrorRetry HealthStatus = "IN_ERROR_RETRY" // listed as a value only
	HealthFailed       HealthStatus = "FAILED"         // 422: there is no result
)

// HealthColor is a rating by the carrier. Green and Grey were observed; the full set is not
// documented.
type HealthColor string

// The colors observed.
const (
	HealthGreen HealthColor = "Green"
	HealthGrey  HealthColor = "Grey"
)

// HealthResult is the state of a service (spec §2, service health request), in the shape of
// versions 6 to 8 regardless of the requested version. It has no service id: only the handle
// connects it to a service.
type HealthResult struct {
	ID                 int64            `json:"id"` // the request
	RequestedByID      int64            `json:"requestedById"`
	RequestedOn        Timestamp        `json:"requestedOn"`
	LastRefreshedOn    Timestamp        `json:"lastRefreshedOn"`
	Status             HealthStatus     `json:"status"`
	WholesaleServiceID string           `json:"wholesaleServiceId"` // the carrier's id for the service
	TechnologyType     string           `json:"technologyType"`     // such as FTTP, FTTN, FTTC
	Plan               string           `json:"plan"`               // plan name
	LocationID         string           `json:"locId"`
	AVCID              string           `json:"avcId"` // virtual circuit; may be empty
	PRIID              string           `json:"priId"` // product instance
	HRIID              string           `json:"hriId"` // health record
	ErrorDetail        string           `json:"errorDetail"`
	CurrentCondition   HealthCondition  `json:"currentCondition"`
	NextAction         HealthNextAction `json:"nextAction"`
	Indicator          HealthIndicator  `json:"indicator"`
	HealthCategories   []HealthCategory `json:"healthCategories"`
}

// HealthCondition is the condition of the service.
type HealthCondition struct {
	Code         string      `json:"code"`
	Status       HealthColor `json:"status"`
	AlertMessage string      `json:"alertMessage"` // free text
	Summary      string      `json:"summary"`      // free text
}

// HealthNextAction is the action that the carrier proposes.
type HealthNextAction struct {
	Code        string `json:"code"`
	Description string `json:"description"` // free text
}

// HealthIndicator rates three aspects of the service.
type HealthIndicator struct {
	Connectivity HealthColor `json:"connectivity"`
	Performance  HealthColor `json:"performance"`
	Stability    HealthColor `json:"stability"`
}

// HealthCategory is a group of measurements, such as OpticalSignal, Outage, Dropouts, Speed.
type HealthCategory struct {
	Type  string       `json:"type"`
	Items []HealthItem `json:"items"`
}

// HealthItem is one measurement.
type HealthItem struct {
	Type   string      `json:"type"`
	ID     string      `json:"id"`
	Status HealthColor `json:"status"` // empty: not rated
	Unit   string      `json:"unit"`   // such as Count, Seconds, Mbps, Days; empty: none
	Value  string      `json:"value"`  // empty: none
}

// healthVersion5 has the fields that have other names in version 5 (spec §2).
type healthVersion5 struct {
	ServiceStatus HealthStatus `json:"serviceStatus"`
	Indicators    struct {
		Connectivity HealthColor `json:"connectivityIndicator"`
		Performance  HealthColor `json:"performanceIndicator"`
		Stability    HealthColor `json:"stabilityIndicator"`
	} `json:"indicators"`
	HealthCategory []HealthCategory `json:"healthCategory"`
}

// lastOldHealth is the last version with the old names.
const lastOldHealth = 5

// DecodeHealth reads the result of a health request made at an API version. At version 5 it also
// reads the body of a request in progress, in which the fields of the content are null. A response
// to version 5 with the names of version 6 is accepted too. The error is an [Error] of class
// Unreadable.
func DecodeHealth(version int, body []byte) (HealthResult, error) {
	var result HealthResult
	if err := readObject(body, &result); err != nil {
		return result, undecodable(Health, err)
	}
	if version > lastOldHealth {
		return result, nil
	}
	var old healthVersion5
	if err := readObject(body, &old); err != nil {
		return result, undecodable(Health, err)
	}
	result.Status = cmp.Or(old.ServiceStatus, result.Status)
	result.Indicator = cmp.Or(HealthIndicator(old.Indicators), result.Indicator)
	if old.HealthCategory != nil {
		result.HealthCategories = old.HealthCategory
	}
	return result, nil
}
