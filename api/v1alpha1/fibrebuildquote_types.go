// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// FibreBuildQuoteSpec is one quote for one site. It is immutable.
type FibreBuildQuoteSpec struct {
	// accountRef names the CarrierAccount to use.
	// +required
	AccountRef AccountReference `json:"accountRef"`

	// locationID is the carrier's ID for the site, which must be qualified for enterprise ethernet.
	// +required
	LocationID LocationID `json:"locationID"`

	// ttlAfterFinished deletes the object this long after it finished. Default: kept; "0" keeps it, too.
	// Do not set it on an object in Git: a GitOps tool would create the object again, and the quote
	// would be requested again.
	// +optional
	TTLAfterFinished Duration `json:"ttlAfterFinished,omitempty"`
}

// FibreBuildQuoteStatus is the quote.
type FibreBuildQuoteStatus struct {
	TaskStatus `json:",inline"`

	// quoteID is the carrier's id for the quote.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	QuoteID string `json:"quoteID,omitempty"`

	// price is the one-time price of the fibre build.
	// +optional
	Price *Money `json:"price,omitempty"`

	// name of the charge.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Name string `json:"name,omitempty"`

	// category of the fibre build.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Category string `json:"category,omitempty"`

	// zone that serves the site.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	Zone string `json:"zone,omitempty"`

	// poiName is the point of interconnect that serves the site.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	POIName string `json:"poiName,omitempty"`

	// priceType as the carrier writes it.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	PriceType string `json:"priceType,omitempty"`

	// estimatedDelivery as the carrier writes it.
	// +kubebuilder:validation:MaxLength=200
	// +optional
	EstimatedDelivery string `json:"estimatedDelivery,omitempty"`

	// quoteDate is the day of the quote.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	QuoteDate string `json:"quoteDate,omitempty"`

	// validUntil is the last day the quote is valid.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	ValidUntil string `json:"validUntil,omitempty"`

	// createdOn is when the carrier created the quote.
	// +kubebuilder:validation:MaxLength=64
	// +optional
	CreatedOn string `json:"createdOn,omitempty"`
}

// FibreBuildQuote gets one quote for building fibre to a site.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=fbq,categories=broadband
// +kubebuilder:selectablefield:JSONPath=`.spec.accountRef.name`
// +kubebuilder:printcolumn:name="Site",type=string,JSONPath=`.spec.locationID`
// +kubebuilder:printcolumn:name="Price",type=string,JSONPath=`.status.price.amount`
// +kubebuilder:printcolumn:name="Valid Until",type=string,JSONPath=`.status.validUntil`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Location",type=string,priority=1,JSONPath=`.status.request.location`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
type FibreBuildQuote struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is the object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is the site.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a FibreBuildQuote is immutable: for another quote, create another object",reason=FieldValueForbidden
	// +required
	Spec FibreBuildQuoteSpec `json:"spec"`

	// status is the quote.
	// +kubebuilder:default={observedGeneration:-1}
	// +optional
	Status FibreBuildQuoteStatus `json:"status,omitzero"`
}

// FibreBuildQuoteList is a list of FibreBuildQuotes.
// +kubebuilder:object:root=true
type FibreBuildQuoteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []FibreBuildQuote `json:"items"`
}
