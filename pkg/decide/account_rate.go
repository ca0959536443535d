// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The rate of an account that sets none, as in the CustomResourceDefinition.
const (
	defaultPerSecond = 5
	defaultBurst     = 10
)

// RateOf returns the rate limit of an account.
func RateOf(limit v1alpha1.RateLimit) v1alpha1.RateLimit {
	return v1alpha1.RateLimit{
		RequestsPerSecond: cmp.Or(limit.RequestsPerSecond, defaultPerSecond), Burst: cmp.Or(limit.Burst, defaultBurst),
	}
}

// Slower returns the lower of two rates, with each of the two values compared separately.
func Slower(one, other v1alpha1.RateLimit) v1alpha1.RateLimit {
	one, other = RateOf(one), RateOf(other)
	return v1alpha1.RateLimit{
		RequestsPerSecond: min(one.RequestsPerSecond, other.RequestsPerSecond), Burst: min(one.Burst, other.Burst),
	}
}

// sharedRate says which of the other accounts of the login limit an account further than its own
// rateLimit does; "" if none does.
func sharedRate(account *v1alpha1.CarrierAccount, others []*v1alpha1.CarrierAccount) string {
	lowest := account.Spec.RateLimit
	for _, other := range others {
		lowest = Slower(lowest, other.Spec.RateLimit)
	}
	own := RateOf(account.Spec.RateLimit)
	var by []string
	for _, other := range others {
		limit := RateOf(other.Spec.RateLimit)
		if limit.RequestsPerSecond == lowest.RequestsPerSecond && limit.RequestsPerSecond < own.RequestsPerSecond ||
			limit.Burst == lowest.Burst && limit.Burst < own.Burst {
			by = append(by, other.Namespace+"/"+other.Name)
		}
	}
	if len(by) == 0 {
		return ""
	}
	slices.Sort(by)
	const most = 3
	if len(by) > most {
		by = append(by[:most], fmt.Sprintf("%d more", len(by)-most))
	}
	return fmt.Sprintf("; all accounts of this login together make at most %d calls a second, and %d at once: "+
		"the rateLimit of CarrierAccount %s", lowest.RequestsPerSecond, lowest.Burst, strings.Join(by, ", "))
}
