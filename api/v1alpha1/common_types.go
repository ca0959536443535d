// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Duration is a length of time such as 90s, 5m or 24h; "0" turns the feature off.
// ---
// It is a string and not a metav1.Duration, because an object that passes the schema but not the
// decoder would stop the informer of its whole kind.
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:XValidation:rule="self.matches('^(0|([0-9]{1,5}(ms|s|m|h))+)$')",message="must be a duration such as 90s, 5m, 24h or 1h30m, with at most five digits before each unit; 0 turns the feature off"
type Duration string

// Or returns the duration, or the fallback if it is not set, cannot be parsed or is negative.
func (d Duration) Or(fallback time.Duration) time.Duration {
	parsed, err := time.ParseDuration(string(d))
	if err != nil || parsed < 0 {
		return fallback
	}
	return parsed
}

// WholeSeconds truncates a time as the API server does, which stores no fractions, so that a time
// in memory equals the recorded one.
func WholeSeconds(t time.Time) metav1.Time { return metav1.NewTime(t.Truncate(time.Second)) }

// Date is a calendar day, YYYY-MM-DD, in the account's time zone.
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:XValidation:rule="!format.date().validate(self).hasValue()",message="must be a real calendar day in the form YYYY-MM-DD, for example 2026-12-31"
type Date string

// Approval says when a person has to approve a change before it is sent.
// +kubebuilder:validation:Enum=Automatic;OnCost;Always
type Approval string

// The approval policies.
const (
	ApprovalAutomatic Approval = "Automatic" // send without approval
	ApprovalOnCost    Approval = "OnCost"    // needs approval if it costs money, commits for longer, or has no known price
	ApprovalAlways    Approval = "Always"    // always needs approval
)

// UnknownValues says what happens to a declared value that cannot be read from the carrier.
// +kubebuilder:validation:Enum=Ask;Request;Trust
type UnknownValues string

// The policies for unknown values.
const (
	UnknownAsk     UnknownValues = "Ask"     // wait until a person chooses one of the other two
	UnknownRequest UnknownValues = "Request" // send the declared value
	UnknownTrust   UnknownValues = "Trust"   // assume that the carrier already has the declared value
)

// AccountReference names the CarrierAccount in the same namespace.
type AccountReference struct {
	// name of the CarrierAccount, in the object's own namespace.
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of a CarrierAccount: lower case letters and digits, with - and . between them"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`
}

// OrderReference names a ServiceOrder in the same namespace.
type OrderReference struct {
	// name of the ServiceOrder, in the object's own namespace.
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of a ServiceOrder: lower case letters and digits, with - and . between them"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`
}

// SecretReference names a Secret in the same namespace.
type SecretReference struct {
	// name of the Secret, in the object's own namespace.
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of a Secret: lower case letters and digits, with - and . between them"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`
}

// SecretKeyReference names one key of a Secret in the same namespace.
type SecretKeyReference struct {
	// name of the Secret, in the object's own namespace.
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",message="must be the name of a Secret: lower case letters and digits, with - and . between them"
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`

	// key within the Secret's data.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Key string `json:"key"`
}

// Contact is the person whom the carrier calls about an installation.
type Contact struct {
	// name of the person. The carrier takes at most 40 characters.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]+$')",message="must be one line of text"
	// +required
	Name string `json:"name"`

	// phone number of the person, digits, spaces and + ( ) - only.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9+() -]{4,40}$')",message="must be 4 to 40 digits, spaces, +, (, ) or -"
	// +required
	Phone string `json:"phone"`

	// email address of the person. The carrier takes at most 50 characters.
	// +kubebuilder:validation:MaxLength=50
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^@[:cntrl:] ]+@[^@[:cntrl:] ]+$')",message="must be an e-mail address such as jo@example.com"
	// +required
	Email string `json:"email"`
}

// The maximum lengths that the carrier takes. A longer value would be refused after the request was
// approved.
const (
	maxContactName  = 40
	maxContactEmail = 50
)

// Flaw returns the rule above that a contact breaks, or "" if it breaks none. Flaw is needed
// because a contact in a Secret bypasses the schema. The text contains no data of the contact.
func (c *Contact) Flaw() string {
	switch {
	case !isName(c.Name):
		return "name must be one line of at most 40 characters"
	case !isPhone(c.Phone):
		return "phone must be 4 to 40 digits, spaces, +, (, ) or -"
	case !isAddress(c.Email):
		return "email must be an e-mail address of at most 50 characters, such as name@example.com"
	}
	return ""
}

func isName(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= maxContactName && !strings.ContainsFunc(text, unicode.IsControl)
}

func isPhone(text string) bool {
	return len(text) >= 4 && len(text) <= 40 && strings.Trim(text, "0123456789+() -") == ""
}

func isAddress(text string) bool {
	local, domain, _ := strings.Cut(text, "@")
	unfit := func(r rune) bool { return r == '@' || r == ' ' || unicode.IsControl(r) }
	return utf8.RuneCountInString(text) <= maxContactEmail &&
		local != "" && domain != "" && !strings.ContainsFunc(local+domain, unfit)
}

// CarrierID is the carrier's number for a service, an order or an appointment-request: digits, from
// 1 to 9223372036854775807.
//
// It is a string because clients that parse JSON and YAML numbers as floating point (JavaScript,
// jq, Helm) round numbers above 2^53.
// ---
// On the wire the carrier's IDs are Numbers (spec §4).
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]{0,18}$') && (size(self) < 19 || self <= '9223372036854775807')",message="a carrier id must be a quoted number, for example \"1234567\", from 1 to 9223372036854775807"
type CarrierID string

// CarrierIDOf converts a number from the carrier; "" for a number below 1, which is not an ID.
func CarrierIDOf(number int64) CarrierID {
	if number < 1 {
		return ""
	}
	return CarrierID(strconv.FormatInt(number, 10))
}

// Number returns the ID as a number; 0 if it is not set or is not a positive 64-bit number.
func (id CarrierID) Number() int64 {
	number, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || number < 0 {
		return 0
	}
	return number
}

// Money is an amount as the carrier quotes it, never a float.
type Money struct {
	// amount is a decimal number with two places, as a string: "12.34".
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:Pattern=`^-?[0-9]+(\.[0-9]+)?$`
	// +required
	Amount string `json:"amount"`

	// currency is the currency code that the carrier gave: "AUD".
	// +kubebuilder:validation:MaxLength=8
	// +optional
	Currency string `json:"currency,omitempty"`
}

// String formats the amount for people: "12.34 AUD".
func (m *Money) String() string {
	if m.Currency == "" {
		return m.Amount
	}
	return m.Amount + " " + m.Currency
}

// Notice is the part of a notification from the carrier that no read of the carrier's API shows.
// ---
// Spec §6.
type Notice struct {
	// event is the notification's name, for example OrderRejected.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	Event string `json:"event,omitempty"`

	// reason as the carrier gave it.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Reason string `json:"reason,omitempty"`

	// unverified is set when the notification was not signed.
	// +optional
	Unverified bool `json:"unverified,omitempty"`

	// at is when it was recorded.
	// +optional
	At metav1.Time `json:"at,omitzero"`
}
