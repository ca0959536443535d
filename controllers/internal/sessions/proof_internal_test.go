// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

func TestAnAccountIsProvenByOneFreeCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &fake{status: http.StatusNotFound, body: notFound}
		registry, account := processOf(to), keyed("shop")
		lease := leaseOf(t, registry, account)
		if lease.IsProven() || registry.IsProven(account) {
			t.Error("an account is proven before any call")
		}
		for range 3 {
			expectNoWait(t, registry, account)
		}
		if !lease.IsProven() || !registry.IsProven(account) || to.made() != 1 {
			t.Errorf("%d free calls, want 1", to.made())
		}
		account.Spec.RateLimit.Burst = 5
		if !leaseOf(t, registry, account).IsProven() {
			t.Error("an edit that changes nothing about the login needs another proof")
		}
		expectEachEditNeedsAProof(t, registry, account)
		t.Logf("free calls for one account and one login: 1")
	})
}

// expectNoWait checks that an account logs in, and that its objects do not wait for the proof.
func expectNoWait(t *testing.T, registry *process, account *v1alpha1.CarrierAccount) {
	t.Helper()
	if result := registry.login(t, account); result.Err != nil {
		t.Errorf("%v", result.Err)
	}
	if wait, err := leaseOf(t, registry, account).Prove(t.Context()); wait > 0 || err != nil {
		t.Errorf("an object waits %s for the proof (%v)", wait, err)
	}
}

// expectEachEditNeedsAProof checks that an edit of an account that concerns the login needs another
// proof.
func expectEachEditNeedsAProof(t *testing.T, registry *process, account *v1alpha1.CarrierAccount) {
	t.Helper()
	auth := &account.Spec.Auth
	for what, edit := range map[string]func(){
		"the clientName": func() { auth.ClientName = "other" },
		"the tokenURL": func() {
			auth.TokenURL = "https://id.carrier.example/realms/next/protocol/openid-connect/token"
		},
		"the audience": func() { auth.Audience = "https://id.carrier.example/realms/other" },
		"a key":        func() { auth.Keys[0].KeyID = "next" },
		"the UID":      func() { account.UID = "another" },
	} {
		registry.login(t, account)
		edit()
		if leaseOf(t, registry, account).IsProven() {
			t.Errorf("a change of %s needs no proof", what)
		}
	}
}

// Only a response of the carrier itself counts. Until there is one, it is asked less and less often,
// and it is not known whether the account is the login's.
func TestAnAccountIsNotProvenByAnythingButTheCarriersResponse(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status int
		body   string
	}{
		"a page":                {http.StatusOK, "<html>"},
		"a page with 404":       {http.StatusNotFound, "<html>"},
		"a gateway's 404":       {http.StatusNotFound, `{"message":"no Route matched"}`},
		"a fault":               {http.StatusInternalServerError, ""},
		"an upstream's failure": {http.StatusBadGateway, "<html>"},
		"too many calls":        {http.StatusTooManyRequests, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { expectUnprovenBy(t, &fake{status: row.status, body: row.body}) })
		})
	}
}

// expectUnprovenBy checks that nothing is proven until a carrier responds otherwise.
func expectUnprovenBy(t *testing.T, to *fake) {
	t.Helper()
	registry, account := processOf(to), keyed("shop")
	lease := leaseOf(t, registry, account)
	result := registry.login(t, account)
	if _, unproven := errors.AsType[*decide.UnprovenError](result.Err); !unproven || lease.IsProven() {
		t.Fatalf("%v", result.Err)
	}
	expectSameForAnHour(t, registry, account, result)
	if calls := to.made(); calls < 60 || calls > 70 {
		t.Errorf("%d free calls in an hour, want about one a minute", calls)
	}
	to.answer(http.StatusNotFound, notFound)
	registry.advance(longestCheckPause)
	if accepted := registry.login(t, account); accepted.Err != nil || !lease.IsProven() {
		t.Errorf("%v after the carrier has accepted the token", accepted.Err)
	}
}

// expectSameForAnHour checks that an account has the same result each time it logs in.
func expectSameForAnHour(
	t *testing.T, registry *process, account *v1alpha1.CarrierAccount, result decide.Login,
) {
	t.Helper()
	since, until := result.Outage.Since, registry.now().Add(time.Hour)
	for registry.now().Before(until) {
		again := registry.login(t, account)
		if again.Err.Error() != result.Err.Error() || !again.Outage.Since.Equal(since) {
			t.Fatalf("%v since %s; before: %v since %s", again.Err, again.Outage.Since, result.Err, since)
		}
		registry.advance(max(again.Outage.RetryAt.Sub(registry.now()), time.Second))
	}
}

// A token that the carrier refuses proves nothing, and one that was refused later has to be accepted
// again before the account is Ready. What was proven stays so.
func TestARefusedTokenIsAskedAboutAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &fake{status: http.StatusUnauthorized}
		registry, account := processOf(to), keyed("shop")
		lease := leaseOf(t, registry, account)
		expectRefused(t, registry.login(t, account))
		if lease.IsProven() {
			t.Error("it is proven by a token that the carrier refuses")
		}
		to.answer(http.StatusNotFound, notFound)
		registry.advance(time.Minute)
		if result := registry.login(t, account); result.Err != nil || !lease.IsProven() {
			t.Fatalf("%v", result.Err)
		}
		to.answer(http.StatusUnauthorized, "")
		for range 2 {
			expectFailedRead(t, lease)
		}
		expectRefused(t, registry.login(t, account))
		if !lease.IsProven() {
			t.Error("what was proven is lost")
		}
		registry.advance(time.Minute)
		to.answer(http.StatusBadGateway, "")
		before := to.made()
		if result := registry.login(t, account); result.Err == nil || to.made() != before+1 {
			t.Errorf("the account is ready after %d free calls, of which none was answered", to.made()-before)
		}
	})
}

// expectRefused checks that a login failed because the carrier refuses its token.
func expectRefused(t *testing.T, login decide.Login) {
	t.Helper()
	if !errors.Is(login.Err, carrier.ErrTokenNotAccepted) {
		t.Errorf("%v, want that the carrier refuses the token", login.Err)
	}
}

func expectFailedRead(t *testing.T, lease *Lease) {
	t.Helper()
	if _, err := lease.Cancellation(t.Context(), 7); err == nil {
		t.Error("a read succeeds")
	}
}

// A tenant with a key of its own at the same carrier could have an identity provider that hands out
// its own token for the clientName of another.
func TestATokenOfAnotherClientProvesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &fake{status: http.StatusNotFound, body: notFound, token: tokenOf("theirs")}
		registry, account := processOf(to), keyed("shop")
		result := registry.login(t, account)
		if refused, is := errors.AsType[*carrier.TokenError](result.Err); !is || refused.Reason != carrier.TokenRejected {
			t.Errorf("%v", result.Err)
		}
		if leaseOf(t, registry, account).IsProven() || to.made() != 0 {
			t.Errorf("%d calls were made with the token of another client", to.made())
		}
	})
}

// tokenOf returns a token that names the client it was granted to.
func tokenOf(clientName string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"azp":"`+clientName+`"}`)) + ".c2ln"
}

// While one pass makes the call, others wait for a moment only.
func TestOthersDoNotWaitLongForAProof(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &fake{status: http.StatusNotFound, body: notFound, hang: make(chan struct{})}
		registry, account := processOf(to), keyed("shop")
		var passes sync.WaitGroup
		for range 3 {
			passes.Go(func() {
				if _, err := leaseOf(t, registry, account).Prove(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		registry.advance(2 * checkPatience)
		if wait, err := leaseOf(t, registry, account).Prove(t.Context()); wait == 0 || err != nil {
			t.Errorf("a pass has to wait %s (%v)", wait, err)
		}
		close(to.hang)
		passes.Wait()
		if wait, err := leaseOf(t, registry, account).Prove(t.Context()); wait > 0 || err != nil || to.made() != 1 {
			t.Errorf("%s, %v; %d free calls", wait, err, to.made())
		}
	})
}

// An account that is edited while the carrier is asked has another session, which has no proof.
func TestAProofCountsForTheSessionThatAskedForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &fake{status: http.StatusNotFound, body: notFound, hang: make(chan struct{})}
		registry, account := processOf(to), keyed("shop")
		asking := leaseOf(t, registry, account)
		waits := make(chan time.Duration, 1)
		go func() {
			wait, err := asking.Prove(t.Context())
			if err != nil {
				t.Error(err)
			}
			waits <- wait
		}()
		synctest.Wait()
		edited := account.DeepCopy()
		edited.Spec.Auth.ClientName = "another"
		current := leaseOf(t, registry, edited)
		close(to.hang)
		if wait := <-waits; wait == 0 || asking.IsProven() || current.IsProven() || registry.IsProven(edited) {
			t.Errorf("the pass waits %s; proven: %t, %t", wait, asking.IsProven(), current.IsProven())
		}
	})
}

// What was lost once is not lost by each account of the login again.
func TestFortyAccountsOfOneLoginLoseOneResponse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &fake{status: http.StatusNotFound, body: notFound}
		registry := processOf(to)
		lost := 0
		for tenant := range 40 {
			account := keyed(fmt.Sprintf("tenant-%d", tenant))
			to.answer(http.StatusNotFound, notFound)
			registry.login(t, account)
			to.answer(http.StatusBadGateway, "")
			if losesResponse(t, leaseOf(t, registry, account)) {
				lost++
			}
		}
		if lost != 1 {
			t.Errorf("%d responses were lost in a row, want 1", lost)
		}
		for tenant := range 40 {
			registry.Close(client.ObjectKeyFromObject(keyed(fmt.Sprintf("tenant-%d", tenant))))
		}
		to.answer(http.StatusNotFound, notFound)
		again := keyed("another")
		registry.login(t, again)
		if leaseOf(t, registry, again).Breaker().LostAt.IsZero() {
			t.Error("deleting all accounts of a login makes it forget what was lost")
		}
	})
}

// losesResponse reports whether a chargeable request is sent and its response lost.
func losesResponse(t *testing.T, lease *Lease) bool {
	t.Helper()
	if wait, err := lease.Prepare(t.Context(), carrier.ClassCharge); wait > 0 || err != nil {
		lease.Release()
		return false
	}
	receipt := lease.Submit(t.Context(), carrier.PlanChange, 8, []byte(`{"serviceId": 1}`))
	return receipt.Delivery == carrier.Ambiguous
}
