package simulator

import "time"

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
	// Token has the rules of the identity provider.
	Token TokenRules `json:"token"`
	// Events states where and how events are sent.
	Events EventRules `json:"events"`
	// Delays is how long the requests of an operation take; the key "default" applies to all other
	// operations. Without it, they take 3 s.
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
	// Extensions are the names of the extensions that the carrier has; none by default.
	Extensions []string `json:"extensions,omitempty"`
	// ServiceRead has the choices for the extension of that name.
	ServiceRead ServiceReadRules `json:"serviceRead,omitzero"`
	// OrderFields are the names of fields that this carrier has added to orders (extension
	// OrderFields). Each is a String, a Number or a Boolean.
	OrderFields []string `json:"orderFields,omitempty"`
	// OneHealthRequest means that a health request is refused while another one of the service is in
	// progress.
	OneHealthRequest bool `json:"oneHealthRequest,omitempty"`
	// SlowCancellations means that a reschedule or abort takes effect only once it is complete: until
	// then a read shows the cancellation as it was before.
	SlowCancellations bool `json:"slowCancellations,omitempty"`
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
	// User is the user that the client's requests show as requester.
	User User `json:"user"`
	// Denied are the operations for which the client has no permission: each returns 404 (spec §5).
	Denied []Operation `json:"denied,omitempty"`
	// Callback is the destination of its events, and CallbackSecret is their signing key; if empty,
	// the settings for all clients apply.
	Callback       string `json:"callback,omitempty"`
	CallbackSecret string `json:"callbackSecret,omitempty"`
}

// User is a requesting user, as shown in the resources.
type User struct {
	ID    int64  `json:"id,omitempty"`
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
}

// Defaults for values that a seed omits.
const (
	wholesaleSource     = "wholesale"
	defaultTechnology   = "FTTP"
	defaultTrafficClass = "TC4"
	defaultDelay        = 3 * time.Second
	defaultExpiresIn    = 300 * time.Second // spec §8
	defaultFirstID      = 1<<53 + 1         // not representable as a float64
	defaultDelayKey     = "default"
	standard            = "Standard" // a profile, a lead time and an SLA
)
