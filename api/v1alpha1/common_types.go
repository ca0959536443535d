// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Duration is a length of time such as 90s, 5m or 24h; "0" switches off.
//
// A string of our own and not metav1.Duration: an object that the schema lets
// through and the decoder does not would stop the informer of its whole kind.
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:XValidation:rule="self.matches('^(0|([0-9]{1,5}(ms|s|m|h))+)$')",message="a duration is written like 90s, 5m, 24h or 1h30m, with at most five digits before each unit; 0 switches off"
type Duration string

// Or is the duration, or the fallback where none is set. What the schema refuses
// counts as not set.
func (d Duration) Or(fallback time.Duration) time.Duration {
	parsed, err := time.ParseDuration(string(d))
	if err != nil || parsed < 0 {
		return fallback
	}
	return parsed
}

// WholeSeconds is a time as it comes back from the API server, whose times have no fractions: what
// this process holds and what is on record are then equal.
func WholeSeconds(t time.Time) metav1.Time { return metav1.NewTime(t.Truncate(time.Second)) }

// Date is a calendar day, YYYY-MM-DD, in the account's time zone.
// +kubebuilder:validation:MaxLength=10
// +kubebuilder:validation:XValidation:rule="!format.date().validate(self).hasValue()",message="a date is a real calendar day written YYYY-MM-DD, for example 2026-12-31"
type Date string

// Approval says when a person has to approve a change before it is sent.
// +kubebuilder:validation:Enum=Automatic;OnCost;Always
type Approval string

// The approval policies.
const (
	ApprovalAutomatic Approval = "Automatic" // send without asking
	ApprovalOnCost    Approval = "OnCost"    // ask when it costs, or when the cost is not known
	ApprovalAlways    Approval = "Always"    // ask every time
)

// UnknownValues says what becomes of a declared value whose counterpart at the carrier cannot be read.
// +kubebuilder:validation:Enum=Ask;Request;Trust
type UnknownValues string

// The policies for unknown values.
const (
	UnknownAsk     UnknownValues = "Ask"     // wait until somebody says which of the other two
	UnknownRequest UnknownValues = "Request" // send what is declared
	UnknownTrust   UnknownValues = "Trust"   // believe that the carrier has what is declared
)

// AccountReference names the CarrierAccount in the same namespace.
type AccountReference struct {
	// name of the CarrierAccount, in the object's own namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`
}

// OrderReference names a ServiceOrder in the same namespace.
type OrderReference struct {
	// name of the ServiceOrder, in the object's own namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`
}

// SecretReference names a Secret in the same namespace.
type SecretReference struct {
	// name of the Secret, in the object's own namespace.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name"`
}

// SecretKeyReference names one key of a Secret in the same namespace.
type SecretKeyReference struct {
	// name of the Secret, in the object's own namespace.
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
	// name of the person.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=200
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^[:cntrl:]]+$')",message="contact.name is one line of text"
	// +required
	Name string `json:"name"`

	// phone number of the person, digits, spaces and + ( ) - only.
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9+() -]{4,40}$')",message="contact.phone has 4 to 40 digits, spaces, +, (, ) or -"
	// +required
	Phone string `json:"phone"`

	// email address of the person.
	// +kubebuilder:validation:MaxLength=254
	// +kubebuilder:validation:XValidation:rule="self.matches('^[^@[:cntrl:] ]+@[^@[:cntrl:] ]+$')",message="contact.email is an e-mail address such as jo@example.com"
	// +required
	Email string `json:"email"`
}

// Flaw says which rule of the above a contact breaks, and "" when it keeps all: a contact
// in a Secret comes past the schema. It shows nothing of the contact.
func (c *Contact) Flaw() string {
	switch {
	case !isName(c.Name):
		return "name is one line of at most 200 characters"
	case !isPhone(c.Phone):
		return "phone has 4 to 40 digits, spaces, +, (, ) or -"
	case !isAddress(c.Email):
		return "email is an e-mail address such as name@example.com"
	}
	return ""
}

func isName(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= 200 && !strings.ContainsFunc(text, unicode.IsControl)
}

func isPhone(text string) bool {
	return len(text) >= 4 && len(text) <= 40 && strings.Trim(text, "0123456789+() -") == ""
}

func isAddress(text string) bool {
	local, domain, _ := strings.Cut(text, "@")
	unfit := func(r rune) bool { return r == '@' || r == ' ' || unicode.IsControl(r) }
	return len(text) <= 254 && local != "" && domain != "" && !strings.ContainsFunc(local+domain, unfit)
}
