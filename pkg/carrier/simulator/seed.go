package simulator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"sigs.k8s.io/yaml"
)

// maxSeedBytes bounds a seed file; a hundred thousand services fit.
const maxSeedBytes = 64 << 20

// Seed is the world in which a simulator starts: who may call it, what it sells and what has
// been sold.
type Seed struct {
	// Location is the form of the Location header; LocationAbsolute when empty.
	Location LocationForm `json:"location,omitempty"`
	// FirstRequestID is the first numeric id of a request or order; 2^53+1 when zero.
	FirstRequestID int64 `json:"firstRequestId,omitempty"`
	// ExactReplies leaves the extra, undocumented field out of the replies.
	ExactReplies bool `json:"exactReplies,omitempty"`
	// TimeZone is the carrier's, in which dates begin and end; UTC when empty.
	TimeZone string `json:"timeZone,omitempty"`
	// Currency is that of every price; AUD when its code is empty.
	Currency Currency `json:"currency"`
	// UnknownPlan says when a plan that does not exist is refused; RefuseOnSubmit when empty.
	UnknownPlan Refusal `json:"unknownPlan,omitempty"`
	// Token are the rules of the identity provider.
	Token TokenRules `json:"token"`
	// Events says where and how events are sent.
	Events EventRules `json:"events"`
	// Delays says how long a request of an operation takes; the key "default" stands for all
	// others, else 3 s.
	Delays map[string]Duration `json:"delays,omitempty"`
	// Clients are the resellers that may call.
	Clients []Client `json:"clients"`
	// Plans are the plans on offer.
	Plans []Plan `json:"plans,omitempty"`
	// SLAs are the restoration SLAs on offer.
	SLAs []SLA `json:"slas,omitempty"`
	// Services are the services that the clients have.
	Services []Service `json:"services,omitempty"`
	// TestTypes are the diagnostic tests there are; four usual ones when empty.
	TestTypes []string `json:"testTypes,omitempty"`
	// FibreBuilds are the locations that were qualified for enterprise ethernet.
	FibreBuilds []FibreBuild `json:"fibreBuilds,omitempty"`
	// Qualifications are the service qualifications from which orders can be placed.
	Qualifications []Qualification `json:"qualifications,omitempty"`
	// Orders are orders that were placed before.
	Orders []PlacedOrder `json:"orders,omitempty"`
}

// LocationForm is how the URL of an outcome is written in a Location header.
type LocationForm string

// The forms of a Location header.
const (
	LocationAbsolute LocationForm = "Absolute" // scheme, host and path
	LocationPath     LocationForm = "Path"     // the absolute path alone
	LocationMixed    LocationForm = "Mixed"    // each in turn
)

// Refusal says at which call something impossible is refused.
type Refusal string

// The two calls at which a plan change to an unknown plan can be refused.
const (
	RefuseOnSubmit Refusal = "OnSubmit" // the POST is answered 422
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

// Client is a reseller as the identity provider and the carrier know it.
type Client struct {
	// Name is the client_id, and iss and sub of its assertions.
	Name string `json:"name"`
	// Realm is the realm at which it authenticates.
	Realm string `json:"realm"`
	// Keys are its RSA public keys by kid, in PEM (PKIX or PKCS#1).
	Keys map[string]string `json:"keys"`
	// User is the person that appears as the requester of its requests.
	User User `json:"user"`
	// Denied are the operations that the client has no permission for: each is then 404 (spec §5).
	Denied []Operation `json:"denied,omitempty"`
	// Callback is where its events go, and CallbackSecret what signs them; those of all clients when
	// empty.
	Callback       string `json:"callback,omitempty"`
	CallbackSecret string `json:"callbackSecret,omitempty"`
}

// User is a requesting user as the resources show it.
type User struct {
	ID    int64  `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// Price is what something costs; amounts are decimals with two places, "0.00" when empty.
type Price struct {
	OneTime string `json:"oneTime,omitempty"`
	Monthly string `json:"monthly,omitempty"`
}

// Plan is a plan on offer.
type Plan struct {
	Name string `json:"name"`
	// HealthName is how a health result spells the plan, when that differs.
	HealthName string `json:"healthName,omitempty"`
	// Terms are the terms in which it can be had; none means any.
	Terms []int64 `json:"terms,omitempty"`
	// TechnologyTypes are the technologies on which it can be had; none means any.
	TechnologyTypes []string `json:"technologyTypes,omitempty"`
	// SpeedDown and SpeedUp are in MBit/s.
	SpeedDown int64 `json:"speedDown"`
	SpeedUp   int64 `json:"speedUp"`
	Price     Price `json:"price"`
	// NFASFee is the NFAS commitment fee, nil when none applies.
	NFASFee *Price `json:"nfasFee,omitempty"`
	// AdditionalNTDReason is why a further NTD is needed, empty when none is.
	AdditionalNTDReason string `json:"additionalNtdReason,omitempty"`
	// NTDOptions are the devices to choose from.
	NTDOptions []NTDOption `json:"ntdOptions,omitempty"`
	// Fails lets every change to this plan be accepted and then end IN_ERROR.
	Fails bool `json:"fails,omitempty"`
}

// NTDOption is a network termination device that can be chosen with a plan.
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

// Duration is a [time.Duration] that is written as Go writes it, such as 1m30s.
type Duration time.Duration

// UnmarshalJSON reads the form that [time.ParseDuration] reads.
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

// MarshalJSON writes the form that UnmarshalJSON reads.
func (d Duration) MarshalJSON() ([]byte, error) {
	return []byte(`"` + time.Duration(d).String() + `"`), nil
}

// LoadSeed reads a seed in YAML. An unknown field, a value that contradicts another and a key
// that is not an RSA public key are errors that name the place.
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

// readBounded reads all of r and fails when that is more than limit bytes.
func readBounded(r io.Reader, limit int64) ([]byte, error) {
	var buffer bytes.Buffer
	n, err := buffer.ReadFrom(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if n > limit {
		// Who is still writing when the connection is closed never reads the answer. As much again is read.
		if _, err = io.Copy(io.Discard, io.LimitReader(r, limit-1)); err != nil {
			return nil, fmt.Errorf("read what is too large: %w", err)
		}
		return nil, errTooLarge
	}
	return buffer.Bytes(), nil
}
