// SPDX-License-Identifier: Apache-2.0

package v1alpha1

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
