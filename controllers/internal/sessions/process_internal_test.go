// SPDX-License-Identifier: Apache-2.0

package sessions

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const notFound = `{"httpStatusCode":404,"type":"business.rule","code":"resource.not.found"}`

// fake is the way to a carrier that answers as it is set to, and to an identity provider that grants
// every token at once.
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
		Now: p.now, NewID: rand.Text, Secrets: keyStore{},
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
