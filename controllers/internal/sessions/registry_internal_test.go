// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"crypto/rand"
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

func accountOf(uid types.UID) *v1alpha1.CarrierAccount {
	account := &v1alpha1.CarrierAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default", UID: uid}}
	account.Spec.BaseURL, account.Spec.APIVersion = "https://api.carrier.example", 8
	account.Spec.Auth.TokenURL = "https://id.carrier.example/realms/shop/protocol/openid-connect/token"
	account.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 1, Burst: 1}
	return account
}

func sessionOf(t *testing.T, registry *Registry, account *v1alpha1.CarrierAccount) *Session {
	t.Helper()
	session, err := registry.Session(account)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// There is one session per account and spec. The lost responses of a login still count after the spec
// changes, and for another account that takes the name, once the carrier has accepted its token.
func TestRegistryKeepsOneSessionForAnAccount(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC) }
	registry := &Registry{Now: now, NewID: rand.Text}
	first := provenSession(t, registry, accountOf("1"))
	if sessionOf(t, registry, accountOf("1")) != first {
		t.Error("the same account has two sessions")
	}
	first.breaker().posted(carrier.ClassCharge, carrier.Ambiguous, ticket{})
	edited := accountOf("1")
	edited.Spec.APIVersion = 7
	second := sessionOf(t, registry, edited)
	if second == first || second.Breaker().LostAt.IsZero() {
		t.Error("an edited account keeps its session, or forgets what the carrier lost")
	}
	if !second.IsProven() {
		t.Error("an edit that changes nothing about the login needs another proof")
	}
	third := sessionOf(t, registry, accountOf("2"))
	if third.IsProven() || !third.Breaker().LostAt.IsZero() || len(registry.sessions) != 1 {
		t.Errorf("another account of the same name: breaker until %v, %d sessions",
			third.Breaker().Until, len(registry.sessions))
	}
	if provenSession(t, registry, accountOf("2")).Breaker().LostAt.IsZero() {
		t.Error("deleting an account makes its login forget what the carrier lost")
	}
	registry.Close(client.ObjectKeyFromObject(accountOf("2")))
	if len(registry.sessions) != 0 {
		t.Error("an account that is gone leaves its session behind")
	}
}

func TestRegistryRefusesTheTimeZoneOfTheMachine(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC) }
	registry := &Registry{Now: now, NewID: rand.Text}
	for zone, usable := range map[string]bool{
		"": true, "UTC": true, "Australia/Sydney": true, "Local": false, "Nowhere/Land": false,
	} {
		account := accountOf("1")
		account.Spec.TimeZone = zone
		_, err := registry.Session(account)
		flaw, refused := errors.AsType[*FieldError](err)
		if refused == usable || refused && flaw.Field != "timeZone" {
			t.Errorf("%q: %v", zone, err)
		}
	}
}
