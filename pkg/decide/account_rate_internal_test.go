// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

func ratedAs(name string, perSecond, burst int32) *v1alpha1.CarrierAccount {
	account := &v1alpha1.CarrierAccount{}
	account.Namespace, account.Name = "ns", name
	account.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: perSecond, Burst: burst}
	return account
}

func TestAnAccountSaysWhichOtherAccountSetsItsRate(t *testing.T) {
	t.Parallel()
	const at = "; all accounts of this login together make at most "
	for name, row := range map[string]struct {
		own    *v1alpha1.CarrierAccount
		others []*v1alpha1.CarrierAccount
		want   string
	}{
		"it is alone":           {ratedAs("own", 5, 10), nil, ""},
		"others are faster":     {ratedAs("own", 5, 10), []*v1alpha1.CarrierAccount{ratedAs("b", 6, 11)}, ""},
		"others are as fast":    {ratedAs("own", 5, 10), []*v1alpha1.CarrierAccount{ratedAs("b", 5, 10)}, ""},
		"the default is faster": {ratedAs("own", 5, 10), []*v1alpha1.CarrierAccount{ratedAs("b", 0, 0)}, ""},
		"one is slower": {
			ratedAs("own", 5, 10),
			[]*v1alpha1.CarrierAccount{ratedAs("b", 1, 10)},
			at + "1 calls a second, and 10 at once: the rateLimit of CarrierAccount ns/b",
		},
		"one has a lower burst": {
			ratedAs("own", 5, 10),
			[]*v1alpha1.CarrierAccount{ratedAs("b", 50, 2)},
			at + "5 calls a second, and 2 at once: the rateLimit of CarrierAccount ns/b",
		},
		"two set one value each, in any order": {
			ratedAs("own", 5, 10),
			[]*v1alpha1.CarrierAccount{ratedAs("c", 50, 2), ratedAs("b", 1, 50), ratedAs("d", 2, 3)},
			at + "1 calls a second, and 2 at once: the rateLimit of CarrierAccount ns/b, ns/c",
		},
		"many are as slow": {
			ratedAs("own", 5, 10),
			[]*v1alpha1.CarrierAccount{
				ratedAs("e", 1, 1), ratedAs("d", 1, 1), ratedAs("c", 1, 1), ratedAs("b", 1, 1), ratedAs("a", 1, 1),
			},
			at + "1 calls a second, and 1 at once: the rateLimit of CarrierAccount ns/a, ns/b, ns/c, 2 more",
		},
	} {
		if got := sharedRate(row.own, row.others); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
