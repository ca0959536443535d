// SPDX-License-Identifier: Apache-2.0

package receiver_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
)

func TestRotationOfSharedSecrets(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	d.secrets["b"] = another
	events := v1alpha1.AccountEvents{Signature: v1alpha1.SignatureHMAC, SecretRefs: refs("a", "b")}
	if shown := d.learn(t, events); shown != path(secret) {
		t.Errorf("the path is %s while the oldest secret is listed", shown)
	}
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusAccepted, 1)
	d.expect(t, d.signed(t, another, "evt_2", planned), http.StatusAccepted, 2)

	moved := d.signed(t, another, "evt_3", planned)
	moved.URL.Path = path(another)
	d.expect(t, moved, http.StatusAccepted, 3) // the carrier already has the next path

	events.SecretRefs = refs("b")
	if shown := d.learn(t, events); shown != path(another) {
		t.Errorf("the path is %s once the old secret is gone", shown)
	}
	d.expect(t, d.signed(t, secret, "evt_4", planned), http.StatusNotFound, 3)
}

func TestReplacedSecretIsInvalidOnceItIsReadAgain(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	d.secrets["a"] = another
	d.learn(t, hmacOnly())
	moved := d.signed(t, another, "evt_1", planned)
	moved.URL.Path = path(another)
	d.expect(t, moved, http.StatusAccepted, 1)
	d.expect(t, d.signed(t, secret, "evt_2", planned), http.StatusNotFound, 1)
}

// A Secret that cannot be read once does not stop the receiver from accepting notifications.
func TestReceiverListensWhileTheAPIServerIsUnavailable(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	d.away = errors.New("the API server is away")
	if shown := d.learn(t, hmacOnly()); shown != path(secret) {
		t.Errorf("the path is %q", shown)
	}
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusAccepted, 1)
}

// A line break at the end of a file is not part of a secret. A secret that begins with whsec_ signs
// with the bytes that its base64 encodes.
func TestFormsOfASecret(t *testing.T) {
	t.Parallel()
	standard := "whsec_" + base64.StdEncoding.EncodeToString([]byte(secret))
	for name, held := range map[string]struct{ content, path string }{
		"with a line break": {secret + "\n", secret}, "in the form of Standard Webhooks": {standard, standard},
	} {
		d := newFixture(t, hmacOnly())
		d.secrets["a"] = held.content
		d.learn(t, hmacOnly())
		request := d.signed(t, secret, "evt_1", planned)
		request.URL.Path = path(held.path)
		t.Log(name)
		d.expect(t, request, http.StatusAccepted, 1)
	}
}

func TestSecretThatIsMissingOrWeak(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	events := hmacOnly()
	for _, weak := range []string{
		"short", "whsec_c2hvcnQ=", "whsec_no-base64-at-all-but-long-enough", "   \n              \n",
	} {
		d.secrets["a"] = weak
		_, err := d.Learn(t.Context(), account(&events))
		if _, ok := errors.AsType[*receiver.WeakSecretError](err); !ok {
			t.Errorf("%q: %v", weak, err)
		}
	}
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusNotFound, 0)
	delete(d.secrets, "a")
	if _, err := d.Learn(t.Context(), account(&events)); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("a missing secret: %v", err)
	}
}

func TestUnsignedNotificationsAreAcceptedByThePathAlone(t *testing.T) {
	t.Parallel()
	events := v1alpha1.AccountEvents{Signature: v1alpha1.SignatureNone, SecretRefs: refs("a")}
	d := newFixture(t, events)
	if shown := d.learn(t, events); shown != "" {
		t.Errorf("the path is shown: %s", shown)
	}
	d.expect(t, post(t, path(secret), planned), http.StatusAccepted, 1)
	if d.taken[0].Signed {
		t.Error("it counts as signed")
	}
	d.expect(t, post(t, path(another), planned), http.StatusNotFound, 1)
}

func TestAccountWithoutEventsIsForgotten(t *testing.T) {
	t.Parallel()
	d := newFixture(t, hmacOnly())
	if _, err := d.Learn(t.Context(), account(nil)); err != nil {
		t.Fatal(err)
	}
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusNotFound, 0)
}
