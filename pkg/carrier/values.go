package carrier

import (
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/internal/jsondoc"
)

// Timestamp is a point in time exactly as the carrier wrote it. Timestamps with equal texts
// are equal, as a comparison with an earlier response requires. [Timestamp.Time] parses it.
type Timestamp string

// Time parses a date-time with a UTC offset (spec §1 rule 6), with or without fractions of a
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

// Fees is a list of fees. On the wire it is an array. In some documents it is an object of arrays
// by traffic class instead, and these arrays are concatenated.
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
