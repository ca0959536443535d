// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"cmp"
	"maps"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// The rate of an account that sets none, as in the CustomResourceDefinition.
const (
	defaultPerSecond = 5
	defaultBurst     = 10
)

// rateOwner is a login: the rate and the pause of a 429 belong to it, and no edit of an account
// resets them.
type rateOwner = v1alpha1.CarrierLogin

func rateOwnerOf(account *v1alpha1.CarrierAccount) rateOwner { return account.Login() }

// rateOf returns the rate that an account shares with all others of its login. It drops the
// rates that no account uses any more and that have no state to keep.
func (r *Registry) rateOf(account *v1alpha1.CarrierAccount) *carrier.Rate {
	of := rateOwnerOf(account)
	maps.DeleteFunc(r.rates, func(other rateOwner, rate *carrier.Rate) bool {
		return other != of && r.slowest(other) == v1alpha1.RateLimit{} && rate.IsFresh(r.Now())
	})
	if r.rates == nil {
		r.rates = map[rateOwner]*carrier.Rate{}
	}
	if r.rates[of] == nil {
		own := withDefaults(account.Spec.RateLimit)
		r.rates[of] = carrier.NewRate(float64(own.RequestsPerSecond), int(own.Burst))
	}
	return r.rates[of]
}

// setRate sets the rate of a login to that of its slowest account.
func (r *Registry) setRate(of rateOwner) {
	if slowest := r.slowest(of); slowest != (v1alpha1.RateLimit{}) {
		r.rates[of].Set(r.Now(), float64(slowest.RequestsPerSecond), int(slowest.Burst))
	}
}

// slowest returns the lowest rate of the accounts of a login, with each of the two values
// compared separately; zero if there is no account.
func (r *Registry) slowest(of rateOwner) (slowest v1alpha1.RateLimit) {
	for _, kept := range r.sessions {
		if kept.owner != of {
			continue
		}
		own := withDefaults(kept.rate)
		slowest.RequestsPerSecond = min(cmp.Or(slowest.RequestsPerSecond, own.RequestsPerSecond), own.RequestsPerSecond)
		slowest.Burst = min(cmp.Or(slowest.Burst, own.Burst), own.Burst)
	}
	return slowest
}

func withDefaults(limit v1alpha1.RateLimit) v1alpha1.RateLimit {
	return v1alpha1.RateLimit{
		RequestsPerSecond: cmp.Or(limit.RequestsPerSecond, defaultPerSecond), Burst: cmp.Or(limit.Burst, defaultBurst),
	}
}
