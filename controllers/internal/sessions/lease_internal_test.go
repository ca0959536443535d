// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

// keyStore has every Secret.
type keyStore struct{ client.Reader }

// Get returns a Secret with a key, which is never parsed.
func (keyStore) Get(_ context.Context, _ client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if secret, is := object.(*corev1.Secret); is {
		secret.Data = map[string][]byte{"key": []byte("a key")}
	}
	return nil
}

// failing is the way to a carrier that answers every call with a 502, and to its identity provider,
// which grants a token as soon as the channel is closed.
type failing struct{ grants chan struct{} }

// granted lets the identity provider grant each token at once.
func granted() chan struct{} {
	grants := make(chan struct{})
	close(grants)
	return grants
}

// RoundTrip answers a call.
func (f failing) RoundTrip(request *http.Request) (*http.Response, error) {
	status, body := http.StatusBadGateway, ""
	if request.URL.Host == "id.carrier.example" {
		<-f.grants
		status, body = http.StatusOK, `{"access_token": "token", "token_type": "Bearer", "expires_in": 300}`
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// leases returns two leases for one account of a failing carrier, whose rate allows ten calls and
// whose window is two.
func leases(t *testing.T, to failing) (one, other *Lease) {
	t.Helper()
	now := func() time.Time { return time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC) }
	registry := &Registry{
		Now: now, NewID: rand.Text, Secrets: keyStore{},
		Sign: func(carrier.Key, string) ([]byte, error) { return []byte("signature"), nil },
		Wrap: func(http.RoundTripper) http.RoundTripper { return to },
	}
	account := accountOf("1")
	account.Spec.RateLimit.Burst = 10
	account.Spec.Auth.Keys = []v1alpha1.SigningKey{{
		KeyID: "key", PrivateKeySecretRef: v1alpha1.SecretKeyReference{Name: "key", Key: "key"},
	}}
	lease := func(name string) *Lease {
		service := &v1alpha1.BroadbandService{}
		service.Name, service.UID = name, types.UID(name)
		lease, err := registry.Lease(account, service)
		if err != nil {
			t.Fatal(err)
		}
		return lease
	}
	one, other = lease("one"), lease("other")
	provenSession(t, registry, account).breaker().window = 2
	return one, other
}

// ready prepares a call that need not wait.
func ready(t *testing.T, lease *Lease, class carrier.RepeatClass) {
	t.Helper()
	if wait, err := lease.Prepare(t.Context(), class); wait > 0 || err != nil {
		t.Errorf("a call of class %s waits %s (%v)", class, wait, err)
	}
}

// lose makes a request whose response is lost.
func lose(t *testing.T, lease *Lease) {
	t.Helper()
	receipt := lease.Submit(t.Context(), carrier.PlanChange, 8, []byte(`{"serviceID": 1}`))
	if receipt.Delivery != carrier.Ambiguous {
		t.Errorf("the request is %s: %v", receipt.Delivery, receipt.Err)
	}
}

// prepare prepares a chargeable request at the same time, and returns its wait when it is known.
func prepare(t *testing.T, lease *Lease) <-chan time.Duration {
	t.Helper()
	waits := make(chan time.Duration, 1)
	go func() {
		wait, err := lease.Prepare(t.Context(), carrier.ClassCharge)
		if err != nil {
			t.Error(err)
		}
		waits <- wait
	}()
	synctest.Wait() // it waits for a token, if it has to
	return waits
}

// A token of the rate limit would be used up for nothing, and with it the object's place in line.
func TestARequestThatTheBreakerHoldsBackTakesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, other := leases(t, failing{granted()})
		ready(t, one, carrier.ClassCharge)
		lose(t, one)
		for range 2 {
			if wait := <-prepare(t, other); wait != shortestPause {
				t.Errorf("it waits %s", wait)
			}
			other.Release()
		}
		for range 9 {
			ready(t, one, carrier.ClassConverge)
		}
	})
}

func TestALossDuringALoginHoldsARequestBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		grants := make(chan struct{})
		one, other := leases(t, failing{grants})
		waits := prepare(t, other)
		one.breaker().posted(carrier.ClassCharge, carrier.Ambiguous, ticket{})
		close(grants)
		if wait := <-waits; wait != shortestPause {
			t.Errorf("it waits %s", wait)
		}
		other.Release()
	})
}

// A pass occupies its worker for a moment only.
func TestALoginThatTakesLongIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		grants := make(chan struct{})
		one, _ := leases(t, failing{grants})
		if wait, err := one.Prepare(t.Context(), carrier.ClassCharge); wait == 0 || err != nil {
			t.Errorf("a request without a token does not wait (%v)", err)
		}
		close(grants)
		synctest.Wait()
		ready(t, one, carrier.ClassCharge)
	})
}

// The breaker holds back chargeable requests only. Queries leave a share of the rate limit for what
// changes something.
func TestOtherCallsWaitForTheRateLimitOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, _ := leases(t, failing{granted()})
		ready(t, one, carrier.ClassCharge)
		lose(t, one)
		for range 6 {
			ready(t, one, carrier.ClassQuery)
		}
		if wait, err := one.Prepare(t.Context(), carrier.ClassQuery); wait == 0 || err != nil {
			t.Errorf("a query does not wait (%v)", err)
		}
		for _, class := range []carrier.RepeatClass{carrier.ClassVerify, carrier.ClassConverge} {
			ready(t, one, class)
		}
	})
}
