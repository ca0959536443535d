// SPDX-License-Identifier: Apache-2.0

package receiver_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
)

func TestSignedNotificationIsAccepted(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusAccepted, 1)
	want := receiver.Notification{
		Account: types.NamespacedName{Namespace: "shop", Name: "default"}, Event: carrier.EventPlanChanged, Signed: true,
		Hint: carrier.EventHint{Name: "ServicePlanChanged", ServiceID: 1234567, RequestID: 99},
	}
	if d.taken[0] != want {
		t.Errorf("took %+v, want %+v", d.taken[0], want)
	}
}

func TestEventNamedInAHeaderIsAccepted(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	request := d.signed(t, secret, "evt_1", `{"id":1234567}`)
	request.Header.Set("Z-Event-Type", "service.plan-changed.event")
	d.expect(t, request, http.StatusAccepted, 1)
	if d.taken[0].Event != carrier.EventPlanChanged || d.taken[0].Hint.ID != 1234567 {
		t.Errorf("took %+v", d.taken[0])
	}
}

// An id of the notification itself may be a text. The sender does not repeat what got a 400, and
// the rejection of an order may be reported nowhere else.
func TestRejectionWithATextAsIDIsAccepted(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	const rejected = `{"id":"evt_01H455VB4PEX5VSKNK084SN02Q","eventType":"OrderRejected","orderId":8}`
	d.expect(t, d.signed(t, secret, "evt_1", rejected), http.StatusAccepted, 1)
	if got := d.taken[0]; got.Event != carrier.EventOrderRejected || got.Hint.OrderID != 8 || got.Hint.ID != 0 {
		t.Errorf("took %+v", got)
	}
}

// Case 78: no signature, and a response that says no more than that.
func TestNotificationWithoutSignatureIsRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	d.expect(t, post(t, path(secret), planned), http.StatusUnauthorized, 0)
}

// Case 79: a wrong, cut or missing signature, or one of another algorithm.
func TestWrongSignatureIsRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	good := func() *http.Request { return d.signed(t, secret, "evt_1", planned) }
	whole := good().Header.Get("Webhook-Signature")
	foreign := func(by string) string {
		return d.signed(t, by, "evt_1", planned).Header.Get("Webhook-Signature")
	}
	for name, spoil := range map[string]func(http.Header){
		"of another secret":       func(h http.Header) { h.Set("Webhook-Signature", foreign(another)) },
		"of an empty secret":      func(h http.Header) { h.Set("Webhook-Signature", foreign("")) },
		"truncated":               func(h http.Header) { h.Set("Webhook-Signature", whole[:len(whole)-4]) },
		"of another scheme":       func(h http.Header) { h.Set("Webhook-Signature", "v1a"+whole[2:]) },
		"without scheme":          func(h http.Header) { h.Set("Webhook-Signature", whole[3:]) },
		"empty":                   func(h http.Header) { h.Set("Webhook-Signature", "v1,") },
		"not base64":              func(h http.Header) { h.Set("Webhook-Signature", "v1,!!!!") },
		"over another id":         func(h http.Header) { h.Set("Webhook-Id", "evt_2") },
		"without an id":           func(h http.Header) { h.Del("Webhook-Id") },
		"two ids":                 func(h http.Header) { h.Add("Webhook-Id", "evt_1") },
		"over another time":       func(h http.Header) { h.Set("Webhook-Timestamp", strconv.FormatInt(d.now.Unix()+1, 10)) },
		"after eight that do not": func(h http.Header) { h.Set("Webhook-Signature", strings.Repeat("v1,AAAA ", 8)+whole) },
	} {
		request := good()
		spoil(request.Header)
		t.Log(name)
		d.expect(t, request, http.StatusUnauthorized, 0)
	}
	dotted := d.signed(t, secret, "evt.1", planned)
	d.expect(t, dotted, http.StatusUnauthorized, 0)
}

// Case 80: a time that is too far from now, or is none.
func TestOldAndFutureNotificationsAreRefused(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	at := func(seconds int64) string { return strconv.FormatInt(d.now.Unix()+seconds, 10) }
	for _, stamp := range []string{
		at(-600), at(-301), at(301), at(600), "NaN", "", "1e9", "99999999999999999999", "-1", "0x1",
	} {
		d.expect(t, stamped(t, secret, "evt_1", stamp, planned), http.StatusUnauthorized, 0)
	}
	d.expect(t, stamped(t, secret, "evt_1", at(-300), planned), http.StatusAccepted, 1)
	d.expect(t, stamped(t, secret, "evt_2", at(300), planned), http.StatusAccepted, 2)
}

// Case 81: an id that came before causes no second pass.
func TestReplayIsAcceptedAndIgnored(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	for range 3 {
		d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusAccepted, 1)
	}
	d.learn(t, hmacOnly()) // the account was reconciled: accepted ids are kept
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusAccepted, 1)
}

func TestNotificationThatCannotBeHandledNowIsRetried(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	d.fail = errors.New("the API server is away")
	request := d.signed(t, secret, "evt_1", planned)
	answer := d.answer(request)
	if answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") == "" {
		t.Errorf("answered %d with Retry-After %q", answer.Code, answer.Header().Get("Retry-After"))
	}
	d.fail = nil
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusAccepted, 1)
}

// What is only too early is no error in the log, however often the carrier sends it again.
func TestANotificationThatIsTooEarlyIsNoError(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{errors.New("the API server is away"), receiver.ErrNotYet} {
		d := newFixture(t, hmacOnly())
		d.fail = fmt.Errorf("take it: %w", failure)
		var lines []string
		logger := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
		request := d.signed(t, secret, "evt_1", planned)

		answer := d.answer(request.WithContext(log.IntoContext(request.Context(), logger)))

		isError, expected := strings.Contains(strings.Join(lines, ""), `"error"=`), errors.Is(failure, receiver.ErrNotYet)
		if answer.Code != http.StatusServiceUnavailable || len(lines) != 1 || isError == expected {
			t.Errorf("answered %d, and logged %q", answer.Code, lines)
		}
	}
}

// Case 83: no payload makes the receiver panic.
func TestMalformedPayloads(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	payloads := map[string]int{
		"": 400, "{": 400, "[]": 400, "null": 400, `"x"`: 400, "\xff\xfe": 400,
		`{"id":1,"id":2}`: 400, `{"orderId":1,"order":{"id":2}}`: 400,
		strings.Repeat(`{"order":`, 6000) + "1" + strings.Repeat("}", 6000): 202,
		`{}`: 202, `{"eventType":null}`: 202, `{"eventType":7,"serviceId":null}`: 202,
		`{"eventType":"SomethingElse","id":"0b1b7d6e-3a80"}`: 202, `{"serviceId":1.5}`: 202,
		`{"eventType":"SomethingElse","serviceId":5}`: 202, `{"eventType":{"a":[]},"order":[1]}`: 202,
	}
	i := 0
	for payload, status := range payloads {
		i++
		t.Logf("%.40q", payload)
		d.expect(t, d.signed(t, secret, fmt.Sprintf("evt_%d", i), payload), status, 0)
	}
}

func FuzzNotification(f *testing.F) {
	f.Add("evt_1", "1772452800", "v1,AAAA", []byte(planned))
	f.Add("", "NaN", "v1a,", []byte(`{"id":1,"id":2}`))
	f.Fuzz(func(t *testing.T, id, stamp, signature string, body []byte) {
		d := newFixture(t, hmacOnly())
		request := call(t, http.MethodPost, path(secret), bytes.NewReader(body))
		request.Header["Webhook-Id"] = []string{id}
		request.Header["Webhook-Timestamp"] = []string{stamp}
		request.Header["Webhook-Signature"] = []string{signature}
		if answer := d.answer(request); answer.Code/100 != 4 || len(d.taken) != 0 {
			t.Fatalf("answered %d, took %d", answer.Code, len(d.taken))
		}
	})
}
