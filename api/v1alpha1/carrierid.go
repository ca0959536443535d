// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "strconv"

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
