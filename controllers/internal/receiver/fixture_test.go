// SPDX-License-Identifier: Apache-2.0

package receiver_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

const (
	secret  = "canary-shared-secret-0001"
	another = "canary-shared-secret-0002"
	planned = `{"eventType":"ServicePlanChanged","serviceId":1234567,"requestId":99}`
)

// fixture is a receiver with one account, and everything that it accepted.
type fixture struct {
	*receiver.Receiver

	now     time.Time
	secrets map[string]string // by Secret name
	reads   int               // number of Secret reads
	away    error             // error of reading a Secret
	fail    error             // error of Take
	changed []types.NamespacedName

	mu    sync.Mutex
	taken []receiver.Notification
}

func newFixture(t *testing.T, events v1alpha1.AccountEvents) *fixture {
	t.Helper()
	d := &fixture{now: time.Date(2026, time.March, 2, 12, 0, 0, 0, time.UTC), secrets: map[string]string{"a": secret}}
	d.Receiver = receiver.New(d.config())
	d.learn(t, events)
	return d
}

// config is the receiver's configuration for the fixture.
func (d *fixture) config() receiver.Config {
	return receiver.Config{
		Secret: d.secret, Take: d.take, Now: func() time.Time { return d.now },
		Changed: func(account types.NamespacedName) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.changed = append(d.changed, account)
		},
	}
}

func (d *fixture) secret(
	_ context.Context, _ string, ref v1alpha1.SecretKeyReference, _ ...string,
) ([]byte, error) {
	d.reads++
	if d.away != nil {
		return nil, d.away
	}
	held, found := d.secrets[ref.Name]
	if !found {
		return nil, &decide.SecretError{Secret: ref.Name}
	}
	return []byte(held), nil
}

func (d *fixture) take(_ context.Context, notification receiver.Notification) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		d.taken = append(d.taken, notification)
	}
	return d.fail
}

func hmacOnly() v1alpha1.AccountEvents {
	return v1alpha1.AccountEvents{Signature: v1alpha1.SignatureHMAC, SecretRefs: refs("a")}
}

func refs(names ...string) []v1alpha1.SecretKeyReference {
	found := make([]v1alpha1.SecretKeyReference, 0, len(names))
	for _, name := range names {
		found = append(found, v1alpha1.SecretKeyReference{Name: name, Key: "token"})
	}
	return found
}

func account(events *v1alpha1.AccountEvents) *v1alpha1.CarrierAccount {
	return &v1alpha1.CarrierAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "default", UID: "1"},
		Spec:       v1alpha1.CarrierAccountSpec{Events: events},
	}
}

func (d *fixture) learn(t *testing.T, events v1alpha1.AccountEvents) string {
	t.Helper()
	path, err := d.Learn(t.Context(), account(&events))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// path is where the account's notifications arrive, as the account computes it.
func path(of string) string {
	sum := sha256.Sum256([]byte(of + "/shop/default"))
	return fmt.Sprintf("/events/%x", sum)
}

// post is a call from the carrier.
func post(t *testing.T, to, body string) *http.Request {
	t.Helper()
	return call(t, http.MethodPost, to, strings.NewReader(body))
}

func call(t *testing.T, method, to string, body io.Reader) *http.Request {
	t.Helper()
	return httptest.NewRequestWithContext(t.Context(), method, "https://operator.example"+to, body)
}

// signed is a call with a signature over an ID, a time and a body.
func (d *fixture) signed(t *testing.T, by, id, body string) *http.Request {
	t.Helper()
	return stamped(t, by, id, strconv.FormatInt(d.now.Unix(), 10), body)
}

func stamped(t *testing.T, by, id, stamp, body string) *http.Request {
	t.Helper()
	request := post(t, path(secret), body)
	request.Header.Set("Webhook-Id", id)
	request.Header.Set("Webhook-Timestamp", stamp)
	request.Header.Set("Webhook-Signature", "v1,"+signature(by, id, stamp, body))
	return request
}

func signature(by, id, stamp, body string) string {
	mac := hmac.New(sha256.New, []byte(by))
	mac.Write([]byte(id + "." + stamp + "." + body))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func (d *fixture) answer(request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	d.ServeHTTP(recorder, request)
	return recorder
}

func (d *fixture) expect(t *testing.T, request *http.Request, status, taken int) {
	t.Helper()
	answer := d.answer(request)
	if answer.Code != status || answer.Body.String() != http.StatusText(status)+"\n" {
		t.Errorf("answered %d %q, want %d", answer.Code, answer.Body, status)
	}
	if len(d.taken) != taken {
		t.Errorf("took %d notifications, want %d: %+v", len(d.taken), taken, d.taken)
	}
}
