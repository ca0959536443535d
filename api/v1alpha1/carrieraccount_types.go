// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CarrierAccountSpec is a reseller's login at one carrier and how it may be used.
type CarrierAccountSpec struct {
	// baseURL is the carrier's origin, for example https://api.carrier.example, in its canonical form:
	// lower case, without path, user, default port or dot at the end. http and loopback addresses need the
	// manager flag --allow-insecure-carrier. baseURL and auth.clientName are the login: the accounts of
	// one login share its records, limits and rate, in all namespaces. Immutable.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="baseURL is immutable: the recorded requests were sent to the carrier at that address. Another carrier needs another CarrierAccount. If this carrier has moved to another address, let the new login continue the old one before you create this CarrierAccount again: see wholesale.broadband/continued-by in docs/requestledger.md",reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule="!self.matches('^(https://.*:443|http://.*:80)$') && (self.matches('^https?://[[][0-9a-f:]+[]](:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$') ? isIP(self.substring(self.indexOf('[') + 1, self.indexOf(']'))) && ip.isCanonical(self.substring(self.indexOf('[') + 1, self.indexOf(']'))) : self.matches('^https?://[a-z0-9]([a-z0-9-]*[a-z0-9])?([.][a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$') && (!self.matches('[/.]([0-9]+|0x[0-9a-f]*)(:[0-9]+)?$') || self.matches('^https?://(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])([.](25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])){3}(:[0-9]+)?$')))",message="must be an origin in its canonical form, such as https://api.carrier.example or https://api.carrier.example:8443: in lower case, without path, trailing slash, query, fragment or user, without the default port (443 for https, 80 for http) or zeros at the beginning of the port, without a dot at the end of the host, and with an IP address in its shortest form"
	// +required
	BaseURL string `json:"baseURL"`

	// apiVersion is the X-API-VERSION of every call that this version has, 1 to 8 (default); see
	// familyVersions for the others. The carrier has deprecated 1 and 2. A request in progress keeps
	// its version.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=8
	// +kubebuilder:default=8
	// +optional
	APIVersion int32 `json:"apiVersion,omitempty"`

	// familyVersions says what happens to an operation that the API has only from a version later than
	// apiVersion: health and its reading of the plan (5), aggregation conversions and DSL stability
	// profile changes (4), fibre build charge quotes (6). Least (default) calls it with the lowest
	// version that has it, Strict refuses it as UnsupportedByAPIVersion.
	// +kubebuilder:default=Least
	// +optional
	FamilyVersions FamilyVersions `json:"familyVersions,omitempty"`

	// extensions switches on calls and fields that only some carriers have. Default: none.
	// TestTypes: before a diagnostic test is sent, the operator reads which tests the carrier offers for
	// the service. A test that is not offered is not sent.
	// ServiceRead: the operator reads a service's plan, restoration SLA, aggregation method and DSL
	// stability profile.
	// OrderRead: an accepted order is read from time to time until it has become a service or the carrier
	// has rejected it.
	// OrderFields: orders may have pots, quoteName, ntdOption and extraFields.
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Extensions []Extension `json:"extensions,omitempty"`

	// auth is how the account logs in at the identity provider.
	// +required
	Auth Auth `json:"auth"`

	// caBundle holds PEM certificates to trust for the carrier and the identity provider, too.
	// +kubebuilder:validation:MaxLength=65536
	// +kubebuilder:validation:XValidation:rule="self.contains('-----BEGIN CERTIFICATE-----')",message="must be PEM certificates: -----BEGIN CERTIFICATE----- ..."
	// +optional
	CABundle string `json:"caBundle,omitempty"`

	// serviceIDs are the only services this account may use. Default: any. For a service that is not
	// listed, no call is made and the object shows NotFoundOrForbidden, as if the carrier did not show
	// the service. If you remove a service while a request is in progress, that request is tracked to
	// its end, and nothing more is sent.
	// +kubebuilder:validation:MaxItems=10000
	// +kubebuilder:validation:XValidation:rule="size(self) > 0",message="an empty serviceIDs does not close the account: list the services that it may use, or omit serviceIDs to allow any service"
	// +listType=set
	// +optional
	ServiceIDs []CarrierID `json:"serviceIDs,omitempty"`

	// identifierWord is the word that this carrier's API uses in identifiers in place of "wholesale"
	// (the default). Objects use "wholesale" whatever the word is; a qualification result may use
	// either word.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z][a-z0-9]{0,31}$')",message="must be one lower-case word of letters and digits, for example wholesale"
	// +kubebuilder:default=wholesale
	// +optional
	IdentifierWord string `json:"identifierWord,omitempty"`

	// timeZone is the IANA zone of the carrier's dates, such as Australia/Sydney. Default: UTC.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z][A-Za-z0-9_+/-]*$') && self != 'Local' && timestamp('2026-01-01T00:00:00Z').getHours(self) >= 0",message="must be the name of an IANA time zone, for example Australia/Sydney"
	// +optional
	TimeZone string `json:"timeZone,omitempty"`

	// approval is the minimum approval that services and orders of this account need. Automatic: none.
	// OnCost (default): for a change that costs money or whose price is unknown, for a longer term, and
	// for an object's first change to a service that it did not order. Always: for every change. An
	// object may be stricter.
	// +kubebuilder:default=OnCost
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// unknownValues says what happens to a declared value that cannot be read from the carrier:
	// restoration SLA, aggregation method, DSL stability profile, and a plan that health reports under
	// a name that the carrier does not offer. Ask (default) waits for a decision, Request sends the
	// declared value, Trust assumes that the carrier already has it. A service can override this.
	// +kubebuilder:default=Ask
	// +optional
	UnknownValues UnknownValues `json:"unknownValues,omitempty"`

	// rateLimit limits the calls to the carrier by all accounts of the same login together. The lowest of
	// their limits applies.
	// +optional
	RateLimit RateLimit `json:"rateLimit,omitzero"`

	// polling limits how often a request in progress is polled.
	// +optional
	Polling Polling `json:"polling,omitzero"`

	// chargeLimit limits chargeable requests. It counts those that all accounts of the same login have
	// sent in the last hour. Default: no limit.
	// +optional
	ChargeLimit *ChargeLimit `json:"chargeLimit,omitempty"`

	// events lets the operator receive the carrier's notifications, each of which triggers a poll or a
	// read. Requests are also polled without notifications. Default: off.
	// +optional
	Events *AccountEvents `json:"events,omitempty"`
}

// FamilyVersions says what happens to an operation that the account's API version does not have.
// +kubebuilder:validation:Enum=Least;Strict
type FamilyVersions string

// The family versions.
const (
	FamilyVersionsLeast  FamilyVersions = "Least"  // it is called with the lowest version that has it
	FamilyVersionsStrict FamilyVersions = "Strict" // it is refused
)

// Extension is a part of the carrier's API that is not documented: a call, or fields of one.
// +kubebuilder:validation:Enum=TestTypes;ServiceRead;OrderRead;OrderFields
type Extension string

// The extensions.
const (
	ExtensionTestTypes   Extension = "TestTypes"   // which diagnostic tests the carrier offers for a service
	ExtensionServiceRead Extension = "ServiceRead" // a service, as the carrier describes it
	ExtensionOrderRead   Extension = "OrderRead"   // what has become of an accepted order
	ExtensionOrderFields Extension = "OrderFields" // fields of an order that the specification does not have
)

// Auth is a private-key JWT login.
// ---
// Spec §5.
type Auth struct {
	// tokenURL is the identity provider's token endpoint. It ends in /protocol/openid-connect/token;
	// the part before is the JWT's audience, unless audience is set.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[^/?#@ ]+/[^?#@ ]*[^/?#@ ]/protocol/openid-connect/token$')",message="must be the full address of the token endpoint, such as https://id.carrier.example/auth/realms/reseller/protocol/openid-connect/token: the audience is derived from it"
	// +required
	TokenURL string `json:"tokenURL"`

	// audience is the JWT's audience, if the identity provider's public address differs from the one
	// in tokenURL. Each key's Secret must then have the annotation wholesale.broadband/allowed-hosts,
	// with the hosts of baseURL, tokenURL and audience. Default: tokenURL without
	// /protocol/openid-connect/token.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[^/?#@ ]+(/[!-~]*)?$') && !self.matches('[?#@]')",message="must be the address of a realm, such as https://id.carrier.example/auth/realms/reseller, without a query, a fragment or a user"
	// +optional
	Audience string `json:"audience,omitempty"`

	// clientName is the client at the carrier: iss and sub of the JWT. Immutable: part of the login.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="clientName is immutable: the recorded requests were sent by that client. Another client needs another CarrierAccount. If the carrier has renamed the client, let the new login continue the old one before you create this CarrierAccount again: see wholesale.broadband/continued-by in docs/requestledger.md",reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$')",message="must consist of letters, digits, '.', '_' and '-', and begin and end with a letter or digit"
	// +required
	ClientName string `json:"clientName"`

	// keys are the private keys: one, or two during rotation. The first that is accepted is used.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +listType=map
	// +listMapKey=keyID
	// +required
	Keys []SigningKey `json:"keys"`
}

// SigningKey is one private key and the name by which the carrier knows it.
type SigningKey struct {
	// keyID is the kid in the JWT's header.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9._~+/=:-]+$')",message="must be the kid that the carrier assigned: letters, digits and . _ ~ + / = : - only"
	// +required
	KeyID string `json:"keyID"`

	// privateKeySecretRef names the Secret with the key: PKCS#1 or PKCS#8 PEM, RSA of 2048 to
	// 4096 bits. It is read at each login, never watched. If the Secret has the annotation
	// wholesale.broadband/allowed-hosts, the annotation must list the hosts of baseURL, tokenURL and,
	// if it is set, audience.
	// +required
	PrivateKeySecretRef SecretKeyReference `json:"privateKeySecretRef"`
}

// AnnotationAllowedHosts on a Secret lists the only hosts at which it may be used, such as
// "api.carrier.example,id.carrier.example:8443". A host without a port means the default port of
// the scheme. For a key, the annotation must list the hosts of baseURL, tokenURL and, if it is set,
// audience; for a contact, the host of baseURL.
const AnnotationAllowedHosts = "wholesale.broadband/allowed-hosts"

// RateLimit limits calls per second.
type RateLimit struct {
	// requestsPerSecond is the sustained rate of calls. Default: 5. A share is reserved for new
	// requests, so that polling cannot starve them.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:default=5
	// +optional
	RequestsPerSecond int32 `json:"requestsPerSecond,omitempty"`

	// burst is the maximum number of calls in a burst. Default: 10.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:default=10
	// +optional
	Burst int32 `json:"burst,omitempty"`
}

// Polling limits the time between two polls of one request.
// +kubebuilder:validation:XValidation:rule="!has(self.min) || !has(self.max) || !self.min.matches('^([0-9]{1,5}(ms|s|m|h))+$') || !self.max.matches('^([0-9]{1,5}(ms|s|m|h))+$') || duration(self.min) <= duration(self.max)",message="polling.max (default 5m) must not be less than polling.min (default 2s)",fieldPath=".max"
type Polling struct {
	// min is the shortest time between two polls, at least 1s. Default: 2s. A fibre build charge is never
	// polled sooner than after 5s.
	// +kubebuilder:validation:XValidation:rule="!self.matches('^(0|([0-9]{1,5}(ms|s|m|h))+)$') || duration(self) >= duration('1s')",message="must be at least 1s"
	// +kubebuilder:default="2s"
	// +optional
	Min Duration `json:"min,omitempty"`

	// max is the longest time between two polls, to which up to a quarter is added so that requests
	// are not all polled at the same time. Default: 5m.
	// +kubebuilder:validation:XValidation:rule="!self.matches('^(0|([0-9]{1,5}(ms|s|m|h))+)$') || duration(self) >= duration('1s')",message="must be at least 1s"
	// +kubebuilder:default="5m"
	// +optional
	Max Duration `json:"max,omitempty"`
}

// ChargeLimit limits what can be spent by mistake.
type ChargeLimit struct {
	// perHour is the maximum number of requests per hour that cost money or must never be repeated.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +required
	PerHour int32 `json:"perHour"`
}

// EventSignature says how a notification is authenticated.
// +kubebuilder:validation:Enum=HMAC;None
type EventSignature string

// The event signatures.
const (
	SignatureHMAC EventSignature = "HMAC" // HMAC-SHA256 over id.timestamp.body
	SignatureNone EventSignature = "None" // only the unguessable path
)

// AccountEvents says how the carrier's notifications are authenticated.
type AccountEvents struct {
	// signature is HMAC (default) for signed notifications, or None if only the unguessable path
	// protects them. With None, what a notification reports is marked unverified.
	// +kubebuilder:default=HMAC
	// +optional
	Signature EventSignature `json:"signature,omitempty"`

	// secretRefs hold the shared secrets, each of at least 16 bytes, the oldest first during rotation.
	// A notification may be signed with any of them; the path in status is derived from the oldest.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +listType=atomic
	// +required
	SecretRefs []SecretKeyReference `json:"secretRefs"`
}

// CarrierAccountStatus is the observed state of an account.
type CarrierAccountStatus struct {
	// observedGeneration is the metadata.generation this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready (True once a token was issued), Carrier (the carrier answers) and, once an
	// extension was used, Extensions (the carrier has the extensions that were used).
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// login is the only login with which requests are sent; absent while Ready is not True.
	// +optional
	Login *CarrierLogin `json:"login,omitempty"`

	// continues is the login whose records this login continues; absent if it has its own.
	// +optional
	Continues *CarrierLogin `json:"continues,omitempty"`

	// eventsPath is the path that receives this account's notifications. It is hidden if signature is
	// None, because the path is then the only protection.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	EventsPath string `json:"eventsPath,omitempty"`
}

// CarrierAccount is a reseller's login at one wholesale carrier, like an Issuer in cert-manager.
// Services refer to it by accountRef.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=cacct,categories=broadband
// +kubebuilder:printcolumn:name="Carrier",type=string,JSONPath=`.spec.baseURL`
// +kubebuilder:printcolumn:name="Version",type=integer,JSONPath=`.spec.apiVersion`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Answers",type=string,JSONPath=`.status.conditions[?(@.type=="Carrier")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Client",type=string,priority=1,JSONPath=`.spec.auth.clientName`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:printcolumn:name="Carrier Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Carrier")].message`
type CarrierAccount struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the login and how it may be used.
	// +required
	Spec CarrierAccountSpec `json:"spec"`

	// status is the observed state.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status CarrierAccountStatus `json:"status,omitzero"`
}

// Extends reports whether the account has an extension switched on.
func (a *CarrierAccount) Extends(extension Extension) bool {
	return slices.Contains(a.Spec.Extensions, extension)
}

// Login returns the account's login.
func (a *CarrierAccount) Login() CarrierLogin {
	return CarrierLogin{BaseURL: a.Spec.BaseURL, ClientName: a.Spec.Auth.ClientName}
}

// CarrierAccountList is a list of CarrierAccounts.
// +kubebuilder:object:root=true
type CarrierAccountList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []CarrierAccount `json:"items"`
}
