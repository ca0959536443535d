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
	ServiceID         int64             // required
	AggregationMethod AggregationMethod // required
}

// Body returns the request as it is sent.
func (r AggregationConversionRequest) Body() []byte {
	var w bodyWriter
	return w.number("serviceId", r.ServiceID).text("aggregationMethod", string(r.AggregationMethod)).bytes()
}

// AggregationConversionStatus is the status of a conversion; other values are kept.
type AggregationConversionStatus string

// The statuses, with the HTTP status of a GET (spec §3).
const (
	AggregationOpen       AggregationConversionStatus = "OPEN"        // 202
	AggregationInProgress AggregationConversionStatus = "IN_PROGRESS" // 202
	AggregationInError    AggregationConversionStatus = "IN_ERROR"    // still 202: it continues once fixed
	AggregationCompleted  AggregationConversionStatus = "COMPLETED"   // 200
	AggregationFailed     AggregationConversionStatus = "FAILED"      // 422
)
