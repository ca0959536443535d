// SPDX-License-Identifier: Apache-2.0

package receiver_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/controllers/internal/receiver"
)

func TestRotationOfSharedSecrets(t *testing.T) {
	t.Parallel()
	d := newDesk(t, hmacOnly())
	d.secrets["b"] = another
	events := v1alpha1.AccountEvents{Signature: v1alpha1.SignatureHMAC, SecretRefs: refs("a", "b")}
	if shown := d.learn(t, events); shown != path(secret) {
		t.Errorf("the path is %s while the oldest secret is listed", shown)
	}
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusAccepted, 1)
	d.expect(t, d.signed(t, another, "evt_2", planned), http.StatusAccepted, 2)

	moved := d.signed(t, another, "evt_3", planned)
	moved.URL.Path = path(another)
	d.expect(t, moved, http.StatusAccepted, 3) // the carrier was told the next path already

	events.SecretRefs = refs("b")
	if shown := d.learn(t, events); shown != path(another) {
		t.Errorf("the path is %s once the old secret is gone", shown)
	}
	d.expect(t, d.signed(t, secret, "evt_4", planned), http.StatusNotFound, 3)
}

// A Secret that was replaced is noticed by the first notification that does not fit.
func TestReplacedSecretIsReadAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, hmacOnly())
	d.secrets["a"] = another
	moved := d.signed(t, another, "evt_1", planned)
	moved.URL.Path = path(another)
	d.expect(t, moved, http.StatusAccepted, 1)
	d.expect(t, d.signed(t, secret, "evt_2", planned), http.StatusNotFound, 1)
	if len(d.changed) != 1 {
		t.Errorf("the account was told of %d changes", len(d.changed))
	}
}

func TestSecretThatIsMissingOrWeak(t *testing.T) {
	t.Parallel()
	d := newDesk(t, hmacOnly())
	d.secrets["a"] = "short"
	events := hmacOnly()
	_, err := d.Learn(t.Context(), account(&events))
	if weak, ok := errors.AsType[*receiver.WeakSecretError](err); !ok || !strings.Contains(weak.Error(), "5 bytes") {
		t.Errorf("a weak secret: %v", err)
	}
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusNotFound, 0)
	delete(d.secrets, "a")
	if _, err := d.Learn(t.Context(), account(&events)); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("a missing secret: %v", err)
	}
}

func TestUnsignedNotificationsComeByThePathAlone(t *testing.T) {
	t.Parallel()
	events := v1alpha1.AccountEvents{Signature: v1alpha1.SignatureNone, SecretRefs: refs("a")}
	d := newDesk(t, events)
	if shown := d.learn(t, events); shown != "" {
		t.Errorf("the path is shown: %s", shown)
	}
	d.expect(t, post(t, path(secret), planned), http.StatusAccepted, 1)
	if d.taken[0].Signed {
		t.Error("it counts as signed")
	}
	d.expect(t, post(t, path(another), planned), http.StatusNotFound, 1)
}

func TestAccountThatAsksNoMoreIsForgotten(t *testing.T) {
	t.Parallel()
	d := newDesk(t, hmacOnly())
	if _, err := d.Learn(t.Context(), account(nil)); err != nil {
		t.Fatal(err)
	}
	d.expect(t, d.signed(t, secret, "evt_1", planned), http.StatusNotFound, 0)
}
