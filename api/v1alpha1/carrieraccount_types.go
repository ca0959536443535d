// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CarrierAccountSpec is a reseller's login at one carrier and how it may be used.
// +kubebuilder:validation:XValidation:rule="has(oldSelf.identity) ? (has(self.identity) && self.identity == oldSelf.identity) : (has(self.identity) ? self.identity == oldSelf.auth.clientName : self.auth.clientName == oldSelf.auth.clientName)",message="identity (auth.clientName where identity is not set) is immutable: it says whose requests are on record. Where it was absent it may only be set to the clientName; for another login create another CarrierAccount",fieldPath=".identity",reason=FieldValueForbidden
type CarrierAccountSpec struct {
	// baseURL is the carrier's origin, for example https://api.carrier.example,
	// without path, query or user. http and loopback addresses are taken only
	// when the manager runs with --allow-insecure-carrier. Immutable: another carrier is another
	// identity.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="baseURL is immutable: what is on record was sent to the carrier at that address. Another carrier needs another CarrierAccount with another identity. If the carrier has only moved its address, delete this CarrierAccount, create it with the new baseURL, and annotate its objects with wholesale.broadband/resolve=all@<present time>=SameCarrier",reason=FieldValueForbidden
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?$') || self.matches('^https?://[[][0-9A-Fa-f:.]+[]](:[0-9]{1,5})?$')",message="baseURL is an origin only, such as https://api.carrier.example: no path, trailing slash, query, fragment or user"
	// +required
	BaseURL string `json:"baseURL"`

	// apiVersion is the X-API-VERSION sent with every call, 1 to 8; 1 and 2 are
	// deprecated by the carrier. A running request keeps the one it was sent with.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=8
	// +kubebuilder:default=8
	// +optional
	APIVersion int32 `json:"apiVersion,omitempty"`

	// identity says whose services these are, across accounts, namespaces and
	// restores: one request at a time per identity and service. Default:
	// auth.clientName. Immutable. A sandbox and production need different ones.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$')",message="identity consists of letters, digits, '.', '_' and '-', and begins and ends with a letter or digit"
	// +optional
	Identity string `json:"identity,omitempty"`

	// auth is how the account logs in at the identity provider.
	// +required
	Auth Auth `json:"auth"`

	// caBundle holds PEM certificates that are trusted beside the system's roots,
	// for the carrier and the identity provider.
	// +kubebuilder:validation:MaxLength=65536
	// +kubebuilder:validation:XValidation:rule="self.contains('-----BEGIN CERTIFICATE-----')",message="caBundle holds PEM certificates: -----BEGIN CERTIFICATE----- ..."
	// +optional
	CABundle string `json:"caBundle,omitempty"`

	// serviceIDs are, when set, the only services this account may touch. Any other
	// is refused before the carrier is called, in the words of one that the carrier
	// does not let the account see. What is under way for a service that is taken
	// off the list is still followed, and nothing more is sent.
	// +kubebuilder:validation:MaxItems=10000
	// +listType=set
	// +optional
	ServiceIDs []CarrierID `json:"serviceIDs,omitempty"`

	// identifierWord is the carrier's own word inside identifiers on the wire,
	// where its documentation has the neutral "wholesale".
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z][a-z0-9]{0,31}$')",message="identifierWord is one lower-case word of letters and digits, for example wholesale"
	// +kubebuilder:default=wholesale
	// +optional
	IdentifierWord string `json:"identifierWord,omitempty"`

	// timeZone is the IANA time zone in which the carrier reads dates, for
	// example Australia/Sydney. Default: UTC.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z][A-Za-z0-9_+/-]*$') && self != 'Local' && timestamp('2026-01-01T00:00:00Z').getHours(self) >= 0",message="timeZone is the name of an IANA time zone, for example Australia/Sydney"
	// +optional
	TimeZone string `json:"timeZone,omitempty"`

	// approval is the least that the services and orders of this account ask for:
	// Automatic sends without asking. OnCost asks when a change costs or its cost is not
	// known, and before the first change that an object would make to a service which it
	// did not order. Always asks every time. An object may be stricter.
	// +kubebuilder:default=OnCost
	// +optional
	Approval Approval `json:"approval,omitempty"`

	// unknownValues is what becomes of a declared value whose counterpart at the carrier cannot
	// be read: restoration SLA, aggregation method, DSL stability profile, and a plan that health
	// spells as none of the plans that the carrier offers. Ask waits until somebody says which,
	// Request sends the declared value, Trust believes that the carrier has it already. What a
	// service says itself counts before this.
	// +kubebuilder:default=Ask
	// +optional
	UnknownValues UnknownValues `json:"unknownValues,omitempty"`

	// rateLimit bounds the calls to the carrier across all objects of the account, and of
	// all accounts of its identity at this carrier: the lowest of theirs counts.
	// +optional
	RateLimit RateLimit `json:"rateLimit,omitzero"`

	// polling bounds how often a running request is asked after.
	// +optional
	Polling Polling `json:"polling,omitzero"`

	// chargeLimit bounds the requests that cost money. It is held against what all accounts of
	// the identity have sent in the last hour; absent: no limit.
	// +optional
	ChargeLimit *ChargeLimit `json:"chargeLimit,omitempty"`

	// events makes the operator listen for the carrier's notifications. They are hints to
	// look at once; without them, and beside them, requests are polled.
	// +optional
	Events *AccountEvents `json:"events,omitempty"`
}

// Auth is a private-key JWT login (specification section 5).
type Auth struct {
	// tokenURL is the identity provider's token endpoint. It ends in
	// /protocol/openid-connect/token; what stands before is the JWT's audience.
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^https?://[^/?#@ ]+/[^?#@ ]*[^/?#@ ]/protocol/openid-connect/token$')",message="tokenURL is the whole address of the token endpoint, such as https://id.carrier.example/auth/realms/reseller/protocol/openid-connect/token: the audience is derived from it"
	// +required
	TokenURL string `json:"tokenURL"`

	// clientName is the client the carrier registered: iss and sub of the JWT.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$')",message="clientName consists of letters, digits, '.', '_' and '-', and begins and ends with a letter or digit"
	// +required
	ClientName string `json:"clientName"`

	// keys are the client's private keys: one, or two while rotating. The first
	// that the identity provider takes is used.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=2
	// +listType=map
	// +listMapKey=keyID
	// +required
	Keys []SigningKey `json:"keys"`
}

// SigningKey is one private key and the name the carrier knows it by.
type SigningKey struct {
	// keyID is the kid in the JWT's header.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9._~+/=:-]+$')",message="keyID is the kid the carrier gave: letters, digits and . _ ~ + / = : - only"
	// +required
	KeyID string `json:"keyID"`

	// privateKeySecretRef names the Secret that holds the key: PKCS#1 or PKCS#8
	// PEM, RSA of at least 2048 bits. It is read at each login, never watched.
	// A Secret with the annotation wholesale.broadband/allowed-hosts is used only
	// where the hosts of both baseURL and tokenURL are named in it.
	// +required
	PrivateKeySecretRef SecretKeyReference `json:"privateKeySecretRef"`
}

// AnnotationAllowedHosts names, at a Secret, the only hosts at which it may be used, such as
// "api.carrier.example,id.carrier.example:8443". A host without a port stands for the port that
// the scheme means. A key needs those of baseURL and tokenURL both, a contact that of baseURL.
const AnnotationAllowedHosts = "wholesale.broadband/allowed-hosts"

// RateLimit bounds calls per second.
type RateLimit struct {
	// requestsPerSecond is the sustained rate of calls to the carrier. A share of
	// it is kept for new requests, so that polling cannot starve them.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:default=5
	// +optional
	RequestsPerSecond int32 `json:"requestsPerSecond,omitempty"`

	// burst is how many calls may come at once.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	// +kubebuilder:default=10
	// +optional
	Burst int32 `json:"burst,omitempty"`
}

// Polling bounds the time between two looks at one request.
type Polling struct {
	// min is the shortest time between two looks. A fibre build charge is never
	// asked after sooner than 5 s, whatever is set.
	// +kubebuilder:default="2s"
	// +optional
	Min Duration `json:"min,omitempty"`

	// max is the longest time between two looks, and before the first.
	// +kubebuilder:default="5m"
	// +optional
	Max Duration `json:"max,omitempty"`
}

// ChargeLimit bounds what can be spent by mistake.
type ChargeLimit struct {
	// perHour is how many requests that cost money, or may never be repeated, are
	// sent in any hour.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	// +required
	PerHour int32 `json:"perHour"`
}

// EventSignature says how a notification shows that it is the carrier's.
// +kubebuilder:validation:Enum=HMAC;None
type EventSignature string

// The ways.
const (
	SignatureHMAC EventSignature = "HMAC" // HMAC-SHA256 over id.timestamp.body
	SignatureNone EventSignature = "None" // the unguessable path alone
)

// AccountEvents is how the carrier's notifications are known to be the carrier's.
type AccountEvents struct {
	// signature is HMAC where notifications are signed, None where only the
	// unguessable path protects them; facts are then marked as unverified.
	// +kubebuilder:default=HMAC
	// +optional
	Signature EventSignature `json:"signature,omitempty"`

	// secretRefs hold the shared secrets, each of at least 16 bytes, the oldest first
	// while rotating. A notification may be signed with any of them; the path that the
	// status shows is derived from the oldest.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4
	// +listType=atomic
	// +required
	SecretRefs []SecretKeyReference `json:"secretRefs"`
}

// CarrierAccountStatus is what the operator found out about an account.
type CarrierAccountStatus struct {
	// observedGeneration is the metadata.generation this status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready, which is True when the identity provider issued a token.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// login is the one of which Ready speaks, while it is True: nothing is sent with another.
	// +optional
	Login *CarrierLogin `json:"login,omitempty"`

	// eventsPath is the path of the receiver for this account's notifications. It is not
	// shown where signature is None: knowing it is all that it takes then.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	EventsPath string `json:"eventsPath,omitempty"`
}

// CarrierAccount is a reseller's login at one wholesale carrier: what an Issuer
// is to a certificate. Services name it by accountRef.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=cacct,categories=broadband
// +kubebuilder:printcolumn:name="Carrier",type=string,JSONPath=`.spec.baseURL`
// +kubebuilder:printcolumn:name="Version",type=integer,JSONPath=`.spec.apiVersion`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Client",type=string,priority=1,JSONPath=`.spec.auth.clientName`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type CarrierAccount struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is that of every object.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the login and how it may be used.
	// +required
	Spec CarrierAccountSpec `json:"spec"`

	// status is what the operator found out.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status CarrierAccountStatus `json:"status,omitzero"`
}

// IdentityName says whose services the account's are: spec.identity, by default
// the client name; never the object's name or URL.
func (a *CarrierAccount) IdentityName() string {
	if a.Spec.Identity != "" {
		return a.Spec.Identity
	}
	return a.Spec.Auth.ClientName
}

// Login is who the account is for its carrier.
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
