// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"crypto/rand"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// provenSession opens the session of an account whose token the carrier has accepted.
func provenSession(t *testing.T, registry *Registry, account *v1alpha1.CarrierAccount) *Session {
	t.Helper()
	session := sessionOf(t, registry, account)
	if !session.proof.isAccepted() {
		if !registry.join(client.ObjectKeyFromObject(account), session) {
			t.Fatal("the session is not in use")
		}
		session.proof.accept()
	}
	return session
}

// left is the number of calls that an account may still make immediately.
func left(t *testing.T, registry *Registry, account *v1alpha1.CarrierAccount) (calls int) {
	t.Helper()
	session := sessionOf(t, registry, account)
	for session.client.Take(carrier.CallSubmit, "a") == 0 {
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

func registryAt(now *time.Time) *Registry {
	*now = time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC)
	return &Registry{Now: func() time.Time { return *now }, NewID: rand.Text}
}

func TestR10NoEditOfAnAccountRefillsItsRate(t *testing.T) {
	t.Parallel()
	for scenario, edit := range map[string]func(*testing.T, *Registry) *v1alpha1.CarrierAccount{
		"another version": func(t *testing.T, registry *Registry) *v1alpha1.CarrierAccount {
			t.Helper()
			edited := ratedAt("shop", "1", 1, 4)
			edited.Spec.APIVersion = 7
			sessionOf(t, registry, edited)
			return edited
		},
		"another key": func(t *testing.T, registry *Registry) *v1alpha1.CarrierAccount {
			t.Helper()
			edited := ratedAt("shop", "1", 1, 4)
			edited.Spec.Auth.Keys = []v1alpha1.SigningKey{{KeyID: "next"}}
			provenSession(t, registry, edited)
			return edited
		},
		"a higher rate": func(t *testing.T, registry *Registry) *v1alpha1.CarrierAccount {
			t.Helper()
			edited := ratedAt("shop", "1", 100, 100)
			sessionOf(t, registry, edited)
			return edited
		},
		"deleted and made again": func(t *testing.T, registry *Registry) *v1alpha1.CarrierAccount {
			t.Helper()
			registry.Close(client.ObjectKeyFromObject(ratedAt("shop", "1", 1, 4)))
			again := ratedAt("shop", "2", 1, 4)
			provenSession(t, registry, again)
			return again
		},
		"another account of the login": func(t *testing.T, registry *Registry) *v1alpha1.CarrierAccount {
			t.Helper()
			other := ratedAt("branch", "2", 1, 4)
			provenSession(t, registry, other)
			return other
		},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			var now time.Time
			registry := registryAt(&now)
			account := ratedAt("shop", "1", 1, 4)
			provenSession(t, registry, account)
			if calls := left(t, registry, account); calls != 4 {
				t.Fatalf("%d calls at once, want 4", calls)
			}
			if calls := left(t, registry, edit(t, registry)); calls != 0 {
				t.Errorf("%d more calls at once", calls)
			}
		})
	}
}

func TestR10TheSlowestAccountOfALoginSetsItsRate(t *testing.T) {
	t.Parallel()
	var now time.Time
	registry := registryAt(&now)
	fast, slow, foreign := ratedAt("shop", "1", 100, 100), ratedAt("branch", "2", 1, 2), ratedAt("other", "3", 1, 50)
	foreign.Spec.Auth.ClientName = "another"
	for _, account := range []*v1alpha1.CarrierAccount{fast, slow, foreign} {
		provenSession(t, registry, account)
	}
	if calls := left(t, registry, fast); calls != 2 {
		t.Errorf("%d calls at once with an account that allows 2", calls)
	}
	if calls := left(t, registry, foreign); calls != 50 {
		t.Errorf("another login has %d calls at once, want 50", calls)
	}
	registry.Close(client.ObjectKeyFromObject(slow))
	now = now.Add(time.Second)
	if calls := left(t, registry, fast); calls != 100 {
		t.Errorf("%d calls a second once the slow account is gone, want 100", calls)
	}
}

// Anybody can write down the login of others, and a low rate. The pause after a 429 is theirs alone,
// too, and so are the responses that they lose.
func TestAnAccountWithoutProofHasNothingOfItsLogin(t *testing.T) {
	t.Parallel()
	var now time.Time
	registry := registryAt(&now)
	account, stranger := ratedAt("shop", "1", 100, 100), ratedAt("next-door", "2", 1, 1)
	ours, theirs := provenSession(t, registry, account), sessionOf(t, registry, stranger)
	theirs.breaker().posted(carrier.ClassCharge, carrier.Ambiguous, ticket{enteredAt: now})
	if lost := ours.Breaker().LostAt; !lost.IsZero() {
		t.Errorf("the response that a stranger lost at %s holds back the requests of the login", lost)
	}
	ours.breaker().posted(carrier.ClassCharge, carrier.Ambiguous, ticket{enteredAt: now, request: "ours"})
	if shown := theirs.Breaker().LostRequest; shown == "ours" {
		t.Error("a stranger is shown which response the login has lost")
	}
	account.Spec.APIVersion = 7
	sessionOf(t, registry, account) // an edit sets the rate again
	if calls := left(t, registry, stranger); calls != 1 {
		t.Errorf("a stranger makes %d calls at once, want 1", calls)
	}
	if calls := left(t, registry, account); calls != 100 {
		t.Errorf("the login makes %d calls at once, want 100", calls)
	}
	registry.Close(client.ObjectKeyFromObject(stranger))
	if usage := registry.Usage(); usage.OpenBreakers != 1 || usage.Sessions != 1 {
		t.Errorf("%+v", usage)
	}
}

// Each account shows the rate of its login, so it has to be checked when another account changes it.
func TestTheAccountsOfALoginAreToldThatTheirRateHasChanged(t *testing.T) {
	t.Parallel()
	var now time.Time
	registry := registryAt(&now)
	var told []types.NamespacedName
	registry.Changed = func(account types.NamespacedName) { told = append(told, account) }
	provenSession(t, registry, ratedAt("shop", "1", 10, 10))
	slow := ratedAt("branch", "2", 1, 10)
	told = nil
	provenSession(t, registry, slow)
	if len(told) != 2 {
		t.Errorf("%v are checked, want both", told)
	}
	told = nil
	provenSession(t, registry, ratedAt("third", "3", 10, 10))
	if len(told) > 0 {
		t.Errorf("%v are checked although nothing has changed", told)
	}
	registry.Close(client.ObjectKeyFromObject(slow))
	if len(told) != 2 {
		t.Errorf("%v are checked, want the two others", told)
	}
}

func TestR10AnUnusedLoginIsDroppedOnceItHasNothingToRemember(t *testing.T) {
	t.Parallel()
	var now time.Time
	registry := registryAt(&now)
	gone, lossy, other := ratedAt("shop", "1", 1, 4), ratedAt("shop", "2", 1, 4), ratedAt("shop", "3", 1, 4)
	lossy.Spec.Auth.ClientName, other.Spec.Auth.ClientName = "lossy", "another"
	provenSession(t, registry, gone)
	left(t, registry, gone)
	provenSession(t, registry, lossy).breaker().posted(carrier.ClassCharge, carrier.Ambiguous, ticket{enteredAt: now})
	provenSession(t, registry, other)
	if len(registry.logins) != 3 {
		t.Errorf("%d logins, want also that of the account which has just gone", len(registry.logins))
	}
	now = now.Add(time.Minute)
	other.Spec.APIVersion = 7
	sessionOf(t, registry, other)
	if len(registry.logins) != 2 || registry.logins[lossy.Login()] == nil {
		t.Errorf("%d logins, want the one in use, and the one that has lost a response", len(registry.logins))
	}
}
