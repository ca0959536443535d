package carrier

// FibreBuildChargeRequest requests a quote for building fibre to a location (spec §4). An
// enterprise ethernet service qualification of the location is required first.
type FibreBuildChargeRequest struct {
	LocationID string `json:"locationId,omitempty"` // required: LOC and 12 digits
}

// Body returns the request as it is sent.
func (r FibreBuildChargeRequest) Body() []byte { return encode(r) }

// FibreBuildChargeResult is a quote (spec §2). It has neither a request id nor a service id.
type FibreBuildChargeResult struct {
	WholesaleLocationID string    `json:"wholesaleLocationId"`
	WholesaleQuoteID    string    `json:"wholesaleQuoteId"`
	QuoteDate           string    `json:"quoteDate"`
	Zone                string    `json:"zone"`            // serving the site
	POIName             string    `json:"poiName"`         // point of interconnect serving the site
	EstDeliveryTime     string    `json:"estDeliveryTime"` // free text
	FibreBuildCategory  string    `json:"fibreBuildCategory"`
	PriceType           string    `json:"priceType"`
	Name                string    `json:"name"`       // charge name
	PriceUnit           string    `json:"priceUnit"`  // currency unit
	PriceValue          Number    `json:"priceValue"` // in cents
	ValidUntil          string    `json:"validUntil"` // date until which the quote is valid
	CreatedOn           Timestamp `json:"createdOn"`
}

// DecodeFibreBuildCharge reads a quote. The error is an [Error] of class Unreadable.
func DecodeFibreBuildCharge(body []byte) (FibreBuildChargeResult, error) {
	return decode[FibreBuildChargeResult](FibreBuildCharge, body)
}
