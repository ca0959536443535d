package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"sigs.k8s.io/yaml"
)

// maxSeedBytes limits a seed file. It is enough for a hundred thousand services.
const maxSeedBytes = 64 << 20

// Seed is the initial state of a simulator: its clients, its offer and its existing services.
type Seed struct {
	// Location is the form of the Location header; LocationAbsolute when empty.
	Location LocationForm `json:"location,omitempty"`
	// FirstRequestID is the first numeric id of a request or order; 2^53+1 when zero.
	FirstRequestID int64 `json:"firstRequestId,omitempty"`
	// ExactReplies removes the extra, undocumented field from the responses.
	ExactReplies bool `json:"exactReplies,omitempty"`
	// TimeZone is the carrier's time zone, which determines when a date begins and ends; UTC when
	// empty.
	TimeZone string `json:"timeZone,omitempty"`
	// Currency is the currency of all prices; AUD when its code is empty.
	Currency Currency `json:"currency"`
	// UnknownPlan is when a plan that does not exist is refused; RefuseOnSubmit when empty.
	UnknownPlan Refusal `json:"unknownPlan,omitempty"`
	// Token has the rules of the identity provider.
	Token TokenRules `json:"token"`
	// Events states where and how events are sent.
	Events EventRules `json:"events"`
	// Delays is how long the requests of an operation take; the key "default" applies to all others,
	// else 3 s.
	Delays map[string]Duration `json:"delays,omitempty"`
	// Clients are the resellers with access.
	Clients []Client `json:"clients"`
	// Plans are the plans on offer.
	Plans []Plan `json:"plans,omitempty"`
	// SLAs are the restoration SLAs on offer.
	SLAs []SLA `json:"slas,omitempty"`
	// Services are the clients' services.
	Services []Service `json:"services,omitempty"`
	// TestTypes are the available diagnostic tests; four common ones when empty.
	TestTypes []string `json:"testTypes,omitempty"`
	// FibreBuilds are the locations that were qualified for enterprise ethernet.
	FibreBuilds []FibreBuild `json:"fibreBuilds,omitempty"`
	// Qualifications are the service qualifications from which orders can be placed.
	Qualifications []Qualification `json:"qualifications,omitempty"`
	// Orders are the existing orders.
	Orders []PlacedOrder `json:"orders,omitempty"`
}

// LocationForm is the form of the URL in a Location header.
type LocationForm string

// The forms of a Location header.
const (
	LocationAbsolute LocationForm = "Absolute" // scheme, host and path
	LocationPath     LocationForm = "Path"     // the absolute path only
	LocationMixed    LocationForm = "Mixed"    // alternating
)

// Refusal is the call that refuses something impossible.
type Refusal string

// The two calls that can refuse a plan change to an unknown plan.
const (
	RefuseOnSubmit Refusal = "OnSubmit" // the POST returns 422
	RefuseOnRead   Refusal = "OnRead"   // the POST is accepted and the request ends IN_ERROR
)

// Currency is the unit of the prices.
type Currency struct {
	Code   string `json:"code,omitempty"`
	Symbol string `json:"symbol,omitempty"`
}

// TokenRules are the settings of the identity provider.
type TokenRules struct {
	// ExpiresIn is the lifetime of an access token; 300 s when zero (spec §8).
	ExpiresIn Duration `json:"expiresIn,omitempty"`
	// ClockTolerance is how far the clocks may differ when exp, nbf and iat are judged.
	ClockTolerance Duration `json:"clockTolerance,omitempty"`
}

// Client is a reseller, as known to the identity provider and the carrier.
type Client struct {
	// Name is the client_id, and iss and sub of its assertions.
	Name string `json:"name"`
	// Realm is the realm at which it authenticates.
	Realm string `json:"realm"`
	// Keys are its RSA public keys by kid, in PEM (PKIX or PKCS#1).
	Keys map[string]string `json:"keys"`
	// User is the requester that its requests show.
	User User `json:"user"`
	// Denied are the operations for which the client has no permission: each returns 404 (spec §5).
	Denied []Operation `json:"denied,omitempty"`
	// Callback is the destination of its events, and CallbackSecret their signing key; the common ones
	// when empty.
	Callback       string `json:"callback,omitempty"`
	CallbackSecret string `json:"callbackSecret,omitempty"`
}

// User is a requesting user, as shown in the resources.
type User struct {
	ID    int64  `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// Price is a one-time and a monthly price. Amounts are decimals with two places, "0.00" when empty.
type Price struct {
	OneTime string `json:"oneTime,omitempty"`
	Monthly string `json:"monthly,omitempty"`
}

// Plan is a plan on offer.
type Plan struct {
	Name string `json:"name"`
	// HealthName is the spelling of the plan in health results, if it differs.
	HealthName string `json:"healthName,omitempty"`
	// Terms are the available terms; none means any.
	Terms []int64 `json:"terms,omitempty"`
	// TechnologyTypes are the technologies on which it is available; none means any.
	TechnologyTypes []string `json:"technologyTypes,omitempty"`
	// SpeedDown and SpeedUp are in MBit/s.
	SpeedDown int64 `json:"speedDown"`
	SpeedUp   int64 `json:"speedUp"`
	Price     Price `json:"price"`
	// NFASFee is the NFAS commitment fee, nil if there is none.
	NFASFee *Price `json:"nfasFee,omitempty"`
	// AdditionalNTDReason is why an additional NTD is needed, empty if none is.
	AdditionalNTDReason string `json:"additionalNtdReason,omitempty"`
	// NTDOptions are the available devices.
	NTDOptions []NTDOption `json:"ntdOptions,omitempty"`
	// Fails makes every change to this plan be accepted and then end IN_ERROR.
	Fails bool `json:"fails,omitempty"`
}

// NTDOption is a network termination device that is available with a plan.
type NTDOption struct {
	Option      string `json:"option"`
	Recommended bool   `json:"recommended,omitempty"`
	Price       Price  `json:"price"`
}

// SLA is a restoration SLA on offer.
type SLA struct {
	Name  string `json:"name"`
	Price Price  `json:"price"`
}

// Duration is a [time.Duration] in Go's format, such as 1m30s.
type Duration time.Duration

// UnmarshalJSON reads the format of [time.ParseDuration].
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("a duration is a text such as 5s: %w", err)
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("read duration: %w", err)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalJSON writes the format that UnmarshalJSON reads.
func (d Duration) MarshalJSON() ([]byte, error) {
	return []byte(`"` + time.Duration(d).String() + `"`), nil
}

// LoadSeed reads a seed in YAML. Unknown fields, contradictory values, and keys that are not RSA
// public keys are errors that name the place.
func LoadSeed(r io.Reader) (Seed, error) {
	text, err := readBounded(r, maxSeedBytes)
	if err != nil {
		return Seed{}, fmt.Errorf("read seed: %w", err)
	}
	var seed Seed
	if err := yaml.UnmarshalStrict(text, &seed); err != nil {
		return Seed{}, fmt.Errorf("parse seed: %w", err)
	}
	if err := seed.Validate(); err != nil {
		return Seed{}, err
	}
	return seed, nil
}

// readBounded reads all of r and fails if it has more than limit bytes.
func readBounded(r io.Reader, limit int64) ([]byte, error) {
	var buffer bytes.Buffer
	n, err := buffer.ReadFrom(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if n > limit {
		// A peer that is still writing when the connection is closed never reads the response. So up to
		// limit more bytes are read.
		if _, err = io.Copy(io.Discard, io.LimitReader(r, limit-1)); err != nil {
			return nil, fmt.Errorf("read what is too large: %w", err)
		}
		return nil, errTooLarge
	}
	return buffer.Bytes(), nil
}
