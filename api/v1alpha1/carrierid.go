// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "strconv"

// CarrierID is a number by which the carrier knows a service, an order or an appointment-request:
// from 1 to 9223372036854775807, in digits.
//
// It is a string because what reads JSON and YAML by floating point (JavaScript, jq, Helm) rounds
// numbers above 2^53. On the wire the carrier's ids are Numbers (specification section 4).
// +kubebuilder:validation:MaxLength=19
// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]{0,18}$') && (size(self) < 19 || self <= '9223372036854775807')",message="an id of the carrier is its digits in quotes, for example \"1234567\", from 1 to 9223372036854775807"
type CarrierID string

// CarrierIDOf is a number of the carrier; "" for one below 1, which is none.
func CarrierIDOf(number int64) CarrierID {
	if number < 1 {
		return ""
	}
	return CarrierID(strconv.FormatInt(number, 10))
}

// Number is the id as the carrier has it; 0 where none is set. What the schema refuses counts as not
// set.
func (id CarrierID) Number() int64 {
	number, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || number < 0 {
		return 0
	}
	return number
}
