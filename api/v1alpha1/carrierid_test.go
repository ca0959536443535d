// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"math"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

func TestACarrierIDIsItsNumberInDigits(t *testing.T) {
	t.Parallel()
	for id, number := range map[v1alpha1.CarrierID]int64{
		"":                    0,
		"1":                   1,
		"9007199254740993":    1<<53 + 1,
		"9223372036854775807": math.MaxInt64,
	} {
		if id.Number() != number || v1alpha1.CarrierIDOf(number) != id {
			t.Errorf("%q is %d, and %d is %q", id, id.Number(), number, v1alpha1.CarrierIDOf(number))
		}
	}
}

// The schema refuses all of these values. One that comes from elsewhere does not count as an ID.
func TestWhatIsNoCarrierIDCountsAsNone(t *testing.T) {
	t.Parallel()
	for _, id := range []v1alpha1.CarrierID{"-1", "1e6", "order-12", "9223372036854775808"} {
		if id.Number() != 0 {
			t.Errorf("%q is %d", id, id.Number())
		}
	}
	if id := v1alpha1.CarrierIDOf(-1); id != "" {
		t.Errorf("-1 is %q", id)
	}
}
