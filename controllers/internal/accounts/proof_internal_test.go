// SPDX-License-Identifier: Apache-2.0

package accounts

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const notFound = `{"httpStatusCode":404,"type":"business.rule","code":"resource.not.found"}`

// fake is the way to a carrier that answers as told, and to an identity provider that grants every
// token at once.
type fake struct {
	mu     sync.Mutex
	status int
	body   string
	checks int
	tokens int
	token  string        // what the identity provider hands out; "": a new one each time
	hang   chan struct{} // a call waits until it is closed; nil: it does not wait
}

// RoundTrip answers a call.
func (f *fake) RoundTrip(request *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	status, body := f.status, f.body
	if request.URL.Host == "id.carrier.example" {
		f.tokens++
		token := cmp.Or(f.token, fmt.Sprint("t", f.tokens))
		status, body = http.StatusOK, fmt.Sprintf(`{"access_token":%q,"token_type":"Bearer","expires_in":300}`, token)
	} else {
		f.checks++
		if f.hang != nil {
			hang := f.hang
			f.mu.Unlock()
			<-hang
			f.mu.Lock()
			status, body = f.status, f.body
		}
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func (f *fake) answer(status int, body string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.status, f.body = status, body
}

func (f *fake) made() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.checks
}

// process is one process of the operator, with a clock that only the test moves.
type process struct {
	*Registry

	passed atomic.Int64
}

func (p *process) advance(by time.Duration) { p.passed.Add(int64(by)) }

func (p *process) now() time.Time {
	return time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC).Add(time.Duration(p.passed.Load()))
}

func processOf(to http.RoundTripper) *process {
	p := &process{}
	p.Registry = &Registry{
		Now: p.now, NewID: rand.Text, Workers: 8, Secrets: keyStore{},
		Sign: func(carrier.Key, string) ([]byte, error) { return []byte("signature"), nil },
		Wrap: func(http.RoundTripper) http.RoundTripper { return to },
	}
	return p
}

// keyed is an account with a key.
func keyed(namespace string) *v1alpha1.CarrierAccount {
	account := accountOf(types.UID(namespace))
	account.Namespace, account.Spec.RateLimit.Burst, account.Spec.Auth.ClientName = namespace, 10, "tenant"
	account.Spec.Auth.Keys = []v1alpha1.SigningKey{{
		KeyID: "key", PrivateKeySecretRef: v1alpha1.SecretKeyReference{Name: "key", Key: "key"},
	}}
	return account
}

func leaseOf(t *testing.T, of *process, account *v1alpha1.CarrierAccount) *Lease {
	t.Helper()
	lease, err := of.Lease(account, account)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// login logs an account in until the result is known.
func (p *process) login(t *testing.T, account *v1alpha1.CarrierAccount) decide.Login {
	t.Helper()
	for range 10 {
		result, wait, err := leaseOf(t, p, account).Login(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if wait == 0 {
			return result
		}
		p.advance(wait)
	}
	t.Fatal("the result of the login is not known after ten tries")
	return decide.Login{}
}

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
			if result := registry.login(t, account); result.Err != nil {
				t.Errorf("%v", result.Err)
			}
			if wait, err := leaseOf(t, registry, account).Prove(t.Context()); wait > 0 || err != nil {
				t.Errorf("an object waits %s for the proof (%v)", wait, err)
			}
		}
		if !lease.IsProven() || !registry.IsProven(account) || to.made() != 1 {
			t.Errorf("%d free calls, want 1", to.made())
		}
		account.Spec.RateLimit.Burst = 5
		if !leaseOf(t, registry, account).IsProven() {
			t.Error("an edit that changes nothing about the login needs another proof")
		}
		for what, edit := range map[string]func(){
			"the clientName": func() { account.Spec.Auth.ClientName = "other" },
			"the tokenURL": func() {
				account.Spec.Auth.TokenURL = "https://id.carrier.example/realms/next/protocol/openid-connect/token"
			},
			"the audience": func() { account.Spec.Auth.Audience = "https://id.carrier.example/realms/other" },
			"a key":        func() { account.Spec.Auth.Keys[0].KeyID = "next" },
			"the UID":      func() { account.UID = "another" },
		} {
			registry.login(t, account)
			if edit(); leaseOf(t, registry, account).IsProven() {
				t.Errorf("a change of %s needs no proof", what)
			}
		}
		t.Logf("free calls for one account and one login: 1")
	})
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
			synctest.Test(t, func(t *testing.T) {
				to := &fake{status: row.status, body: row.body}
				registry, account := processOf(to), keyed("shop")
				lease := leaseOf(t, registry, account)
				result := registry.login(t, account)
				if _, unproven := errors.AsType[*decide.UnprovenError](result.Err); !unproven || lease.IsProven() {
					t.Fatalf("%v", result.Err)
				}
				since, until := result.Outage.Since, registry.now().Add(time.Hour)
				for registry.now().Before(until) {
					again := registry.login(t, account)
					if again.Err.Error() != result.Err.Error() || !again.Outage.Since.Equal(since) {
						t.Fatalf("%v since %s; before: %v since %s", again.Err, again.Outage.Since, result.Err, since)
					}
					registry.advance(max(again.Outage.RetryAt.Sub(registry.now()), time.Second))
				}
				if calls := to.made(); calls < 60 || calls > 70 {
					t.Errorf("%d free calls in an hour, want about one a minute", calls)
				}
				to.answer(http.StatusNotFound, notFound)
				registry.advance(longestCheckPause)
				if result := registry.login(t, account); result.Err != nil || !lease.IsProven() {
					t.Errorf("%v after the carrier has accepted the token", result.Err)
				}
			})
		})
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
		if result := registry.login(t, account); !errors.Is(result.Err, carrier.ErrTokenNotAccepted) || lease.IsProven() {
			t.Fatalf("%v", result.Err)
		}
		to.answer(http.StatusNotFound, notFound)
		registry.advance(time.Minute)
		if result := registry.login(t, account); result.Err != nil || !lease.IsProven() {
			t.Fatalf("%v", result.Err)
		}
		to.answer(http.StatusUnauthorized, "")
		for range 2 {
			if _, err := lease.Cancellation(t.Context(), 7); err == nil {
				t.Error("a read succeeds")
			}
		}
		if result := registry.login(t, account); !errors.Is(result.Err, carrier.ErrTokenNotAccepted) || !lease.IsProven() {
			t.Errorf("%v", result.Err)
		}
		registry.advance(time.Minute)
		to.answer(http.StatusBadGateway, "")
		before := to.made()
		if result := registry.login(t, account); result.Err == nil || to.made() != before+1 {
			t.Errorf("the account is ready after %d free calls, of which none was answered", to.made()-before)
		}
	})
}

// A tenant with a key of its own at the same carrier could have an identity provider that hands out
// its own token for the clientName of another.
func TestATokenOfAnotherClientProvesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &fake{status: http.StatusNotFound, body: notFound, token: "e30.eyJhenAiOiJ0aGVpcnMifQ.c2ln"}
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
		registry.advance(2 * slotPatience)
		if wait, err := leaseOf(t, registry, account).Prove(t.Context()); wait == 0 || err != nil {
			t.Errorf("a pass is told to wait %s (%v)", wait, err)
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
			wait, _ := asking.Prove(t.Context())
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
		lost, proofs := 0, 0
		for tenant := range 40 {
			account := keyed(fmt.Sprintf("tenant-%d", tenant))
			to.answer(http.StatusNotFound, notFound)
			registry.login(t, account)
			proofs++
			to.answer(http.StatusBadGateway, "")
			lease := leaseOf(t, registry, account)
			if wait, err := lease.Prepare(t.Context(), carrier.ClassCharge); wait > 0 || err != nil {
				lease.Release()
				continue
			}
			if receipt := lease.Submit(t.Context(), carrier.PlanChange, 8, []byte(`{"serviceId": 1}`)); receipt.Delivery == carrier.Ambiguous {
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
