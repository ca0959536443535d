package carrier

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// Timestamp is a point in time exactly as the carrier wrote it. Two of them are the same when their
// texts are, which is what a comparison with an earlier answer needs; [Timestamp.Time] reads it.
type Timestamp string

// Time reads a date-time with a UTC offset (spec §1.1 rule 6), with or without fractions of a
// second, or a bare date, which is its first moment in UTC. It returns false for anything else: a
// time without an offset is no point in time.
func (t Timestamp) Time() (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05.999999999Z0700", time.DateOnly} {
		if at, err := time.Parse(layout, string(t)); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// Number is a decimal number exactly as the carrier wrote it; it never goes through a float.
type Number string

// Int returns the number when it is whole and fits.
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

// Cents returns the amount in hundredths, exactly. It returns false when the amount is missing, is
// no plain decimal number, or has a fraction of a cent: such an amount is unknown, not zero.
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

// Fee is what something costs, once and per month (spec §2, value objects).
type Fee struct {
	Name                   string            `json:"name"`       // on some fees, such as SLA, NFAS_COMMITMENT
	Attributes             map[string]string `json:"attributes"` // what the fee is for; the keys differ per fee
	OneTimeCharge          *Money            `json:"oneTimeCharge"`
	MonthlyRecurringCharge *Money            `json:"monthlyRecurringCharge"`
}

// Fees is a list of fees. On the wire it is an array, or in some texts an object of such arrays by
// traffic class, which is read as all of them.
type Fees []Fee

func (f *Fees) readWire(d document) {
	*f = nil
	if d.isArray() || isFee(d) {
		readList((*[]Fee)(f), d)
		return
	}
	for _, value := range d.members() {
		if value.isArray() || isFee(value) {
			var part []Fee
			readList(&part, value)
			*f = append(*f, part...)
		}
	}
}

// isFee tells a lone fee from an object of fees by traffic class.
func isFee(d document) bool {
	return has(d, "name", "oneTimeCharge", "monthlyRecurringCharge", "attributes")
}

// Speed is a line rate (spec §2, value objects).
type Speed struct {
	Speed Number `json:"speed"`
	Unit  string `json:"unit"` // such as MBit/s
}

// readWire takes a lone number too, as the plans of a qualification have it.
func (s *Speed) readWire(d document) {
	type plain Speed
	*s = Speed{}
	if d.isObject() {
		newReader().read((*plain)(s), d)
		return
	}
	s.Speed = Number(d.text())
}

// String returns number and unit, such as "100 MBit/s", and "" for no speed.
func (s *Speed) String() string { return strings.TrimSpace(string(s.Speed) + " " + s.Unit) }

// RequestSummary is what the resources of accepted requests have in common: enough to tell whose it
// is and how it goes, whatever the operation. Its texts are sanitized and bounded, fit to be shown;
// those of the results themselves are as the carrier wrote them.
type RequestSummary struct {
	ID          int64  // the request; zero where the resource has none
	ServiceID   int64  // the service; zero where the resource has none
	Status      string // such as OPEN, IN_PROGRESS, IN_ERROR; empty where the resource has none
	ErrorDetail string // a text about an earlier error; empty: none
}

// DecodeSummary reads the common part of any resource, done or in progress. Version 5 of health,
// which calls its status serviceStatus, is understood too. The error is an [Error] of class
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
		Status:      clean(cmp.Or(wire.Status, wire.ServiceStatus), maxName),
		ErrorDetail: scrubber(nil).message(wire.ErrorDetail, maxMessage),
	}, undecodable(op, err)
}

// readSummary is DecodeSummary where a body that cannot be read says nothing.
func readSummary(body []byte) RequestSummary {
	summary, err := DecodeSummary("", body)
	if err != nil {
		return RequestSummary{}
	}
	return summary
}
