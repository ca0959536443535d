package carrier

// AggregationMethod is how a service connects to the reseller's network.
type AggregationMethod string

// The aggregation methods (spec §2).
const (
	AggregationL2TP     AggregationMethod = "L2TP"
	AggregationEthernet AggregationMethod = "ETHERNET"
)

// AggregationConversionRequest converts a service to the other aggregation method (spec §4).
type AggregationConversionRequest struct {
	ServiceID         int64             `json:"serviceId,omitempty"`         // required
	AggregationMethod AggregationMethod `json:"aggregationMethod,omitempty"` // required
}

// Body returns the request as it is sent.
func (r AggregationConversionRequest) Body() []byte { return encode(r) }

// AggregationConversionResult is what the resource of a conversion states about the service
// (spec §2). [DecodeSummary] reads the rest.
type AggregationConversionResult struct {
	ConvertTo AggregationMethod `json:"convertTo"`
}

// DecodeAggregationConversion reads the result of a conversion. The error is an [Error] of class
// Unreadable.
func DecodeAggregationConversion(body []byte) (AggregationConversionResult, error) {
	return decode[AggregationConversionResult](AggregationConversion, body)
}

// AggregationInError is the status of a conversion that continues once the carrier has fixed it. Until
// then, its GET is a 202 (spec §3).
const AggregationInError = "IN_ERROR"
