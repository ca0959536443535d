package carrier

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// Timestamp is a point in time exactly as the carrier wrote it. Two timestamps are equal if their
// texts are, which is what a comparison with an earlier response needs. [Timestamp.Time] parses it.
type Timestamp string

// Time parses a date-time with a UTC offset (spec §1.1 rule 6), with or without fractions of a
// second, or a bare date, which means its first moment in UTC. It returns false for anything else:
// a time without an offset is not a point in time.
func (t Timestamp) Time() (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05.999999999Z0700", time.DateOnly} {
		if at, err := time.Parse(layout, string(t)); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// Number is a decimal number exactly as the carrier wrote it. It is never converted to a float.
type Number string

// Int returns the number if it is whole and in range.
func (n Number) Int() (int64, bool) {
	i, err := strconv.ParseInt(string(n), 10, 64)
	return i, err == nil
}

// Money is an amount of money (spec §2, value objects).
type Money struct {
	Amount   Number `json:"amount"`   // decimal with two places, in units of Currency
	Currency string `json:"currency"` // currency code
	Symbol   string `json:"symbol"`
}

const centDigits = 2

// Cents returns the exact amount in hundredths. It returns false if the amount is missing, is not a
// plain decimal number, or has a fraction of a cent: such an amount is unknown, not zero.
func (m *Money) Cents() (int64, bool) {
	if m == nil {
		return 0, false
	}
	whole, fraction, _ := strings.Cut(strings.TrimSpace(string(m.Amount)), ".")
	fraction = strings.TrimRight(fraction, "0")
	if whole == "" || len(fraction) > centDigits || strings.Trim(fraction, "0123456789") != "" {
		return 0, false
	}
	fraction += strings.Repeat("0", centDigits-len(fraction))
	cents, err := strconv.ParseInt(whole+fraction, 10, 64)
	return cents, err == nil
}

// Fee is a one-time and a monthly price (spec §2, value objects).
type Fee struct {
	Name                   string            `json:"name"`       // only on some fees, such as SLA, NFAS_COMMITMENT
	Attributes             map[string]string `json:"attributes"` // what the fee is for; the keys differ per fee
	OneTimeCharge          *Money            `json:"oneTimeCharge"`
	MonthlyRecurringCharge *Money            `json:"monthlyRecurringCharge"`
}

// Fees is a list of fees. On the wire it is an array, or, in some documents, an object of arrays by
// traffic class, which are concatenated.
type Fees []Fee

func (f *Fees) readWire(d jsondoc.Value) {
	*f = nil
	if d.IsArray() || isFee(d) {
		readList((*[]Fee)(f), d)
		return
	}
	for _, value := range d.Members() {
		if value.IsArray() || isFee(value) {
			var part []Fee
			readList(&part, value)
			*f = append(*f, part...)
		}
	}
}

// isFee returns true for a single fee, false for an object of fees by traffic class.
func isFee(d jsondoc.Value) bool {
	return d.Has("name", "oneTimeCharge", "monthlyRecurringCharge", "attributes")
}

// Speed is a line rate (spec §2, value objects).
type Speed struct {
	Speed Number `json:"speed"`
	Unit  string `json:"unit"` // such as MBit/s
}

// readWire also accepts a bare number, as in the plans of a qualification.
func (s *Speed) readWire(d jsondoc.Value) {
	type plain Speed
	*s = Speed{}
	if d.IsObject() {
		newReader().read((*plain)(s), d)
		return
	}
	s.Speed = Number(d.Text())
}

// String returns number and unit, such as "100 MBit/s", or "" if there is no speed.
func (s *Speed) String() string { return strings.TrimSpace(string(s.Speed) + " " + s.Unit) }

// RequestSummary has the fields that the resources of all accepted requests share: enough to
// identify a request and its status. Its texts are sanitized, bounded and safe to display. The
// texts of the results themselves are as the carrier wrote them.
type RequestSummary struct {
	ID          int64  // of the request; zero if the resource has none
	ServiceID   int64  // of the service; zero if the resource has none
	Status      string // such as OPEN, IN_PROGRESS, IN_ERROR; empty if the resource has none
	ErrorDetail string // a text about an earlier error; empty: none
}

// DecodeSummary reads the common part of any resource, completed or in progress. It also accepts
// version 5 of health, where the status is named serviceStatus. The error is an [Error] of class
// Unreadable.
func DecodeSummary(op Operation, body []byte) (RequestSummary, error) {
	var wire struct {
		ID            int64  `json:"id"`
		ServiceID     int64  `json:"serviceId"`
		Status        string `json:"status"`
		ServiceStatus string `json:"serviceStatus"`
		ErrorDetail   string `json:"errorDetail"`
	}
	err := readObject(body, &wire)
	return RequestSummary{
		ID: wire.ID, ServiceID: wire.ServiceID,
		Status:      sanitize(cmp.Or(wire.Status, wire.ServiceStatus), maxName),
		ErrorDetail: scrubber(nil).message(wire.ErrorDetail, maxMessage),
	}, undecodable(op, err)
}

// readSummary is DecodeSummary with a zero result for an unreadable body.
func readSummary(body []byte) RequestSummary {
	summary, err := DecodeSummary("", body)
	if err != nil {
		return RequestSummary{}
	}
	return summary
}
