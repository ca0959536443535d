// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"crypto/rand"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// left is the number of calls that the login of an account may still make immediately.
func left(registry *Registry, account *v1alpha1.CarrierAccount) (calls int) {
	rate := registry.rateOf(account)
	for rate.Take(carrier.CallSubmit, "a", registry.Now()) == 0 {
		calls++
	}
	return calls
}

func ratedAt(namespace string, uid types.UID, perSecond, burst int32) *v1alpha1.CarrierAccount {
	account := accountOf(uid)
	account.Namespace, account.Spec.Auth.ClientName = namespace, "tenant"
	account.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: perSecond, Burst: burst}
	return account
}

func TestR10NoEditOfAnAccountRefillsItsRate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	for scenario, edit := range map[string]func(*Registry){
		"another version": func(registry *Registry) {
			edited := ratedAt("shop", "1", 1, 4)
			edited.Spec.APIVersion = 7
			sessionOf(t, registry, edited)
		},
		"a higher rate": func(registry *Registry) { sessionOf(t, registry, ratedAt("shop", "1", 100, 100)) },
		"deleted and made again": func(registry *Registry) {
			registry.Close(client.ObjectKeyFromObject(ratedAt("shop", "1", 1, 4)))
			sessionOf(t, registry, ratedAt("shop", "2", 1, 4))
		},
		"another account of the login": func(registry *Registry) { sessionOf(t, registry, ratedAt("branch", "2", 1, 4)) },
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			registry := &Registry{Now: func() time.Time { return now }, NewID: rand.Text}
			sessionOf(t, registry, ratedAt("shop", "1", 1, 4))
			if calls := left(registry, ratedAt("shop", "1", 1, 4)); calls != 4 {
				t.Fatalf("%d calls at once, want 4", calls)
			}
			edit(registry)
			if calls := left(registry, ratedAt("shop", "1", 1, 4)); calls != 0 {
				t.Errorf("%d more calls at once", calls)
			}
		})
	}
}

func TestR10TheSlowestAccountOfALoginSetsItsRate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	registry := &Registry{Now: func() time.Time { return now }, NewID: rand.Text}
	sessionOf(t, registry, ratedAt("shop", "1", 100, 100))
	slow, foreign := ratedAt("branch", "2", 1, 2), ratedAt("other", "3", 1, 50)
	foreign.Spec.Auth.ClientName = "another"
	sessionOf(t, registry, slow)
	sessionOf(t, registry, foreign)
	if calls := left(registry, ratedAt("shop", "1", 100, 100)); calls != 2 {
		t.Errorf("%d calls at once with an account that allows 2", calls)
	}
	if calls := left(registry, foreign); calls != 50 {
		t.Errorf("another login has %d calls at once, want 50", calls)
	}
	registry.Close(client.ObjectKeyFromObject(slow))
	now = now.Add(time.Second)
	if calls := left(registry, ratedAt("shop", "1", 100, 100)); calls != 100 {
		t.Errorf("%d calls a second once the slow account is gone, want 100", calls)
	}
}

func TestR10AnUnusedRateIsDroppedOnceItIsFresh(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	registry := &Registry{Now: func() time.Time { return now }, NewID: rand.Text}
	gone := ratedAt("shop", "1", 1, 4)
	sessionOf(t, registry, gone)
	left(registry, gone)
	registry.Close(client.ObjectKeyFromObject(gone))
	other := ratedAt("shop", "2", 1, 4)
	other.Spec.Auth.ClientName = "another"
	sessionOf(t, registry, other)
	if len(registry.rates) != 2 {
		t.Errorf("%d rates, want that of the account which has just gone, too", len(registry.rates))
	}
	now = now.Add(time.Minute)
	other.Spec.APIVersion = 7
	sessionOf(t, registry, other)
	if len(registry.rates) != 1 {
		t.Errorf("%d rates, and one is in use", len(registry.rates))
	}
}
