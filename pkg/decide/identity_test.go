// SPDX-License-Identifier: Apache-2.0

package decide_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// acme is an account of the identity acme. A person has acknowledged the given identity for it.
func acme(acknowledged string) *v1alpha1.CarrierAccount {
	account := &v1alpha1.CarrierAccount{ObjectMeta: metav1.ObjectMeta{
		Namespace: "retail", Name: "main", Annotations: map[string]string{v1alpha1.AnnotationAcknowledge: acknowledged},
	}}
	account.Spec.BaseURL, account.Spec.Identity, account.Spec.Auth.ClientName = "https://a", "acme", "reseller"
	return account
}

// identities creates ledgers for some identities.
func identities(names ...string) []v1alpha1.RequestLedger {
	ledgers := make([]v1alpha1.RequestLedger, 0, len(names))
	for _, name := range names {
		ledger := v1alpha1.RequestLedger{ObjectMeta: metav1.ObjectMeta{Name: "identity-of-" + name}}
		ledger.Spec.Identity = name
		ledgers = append(ledgers, ledger)
	}
	return ledgers
}

func TestR31ALoginSendsUnderOneIdentity(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		known           []v1alpha1.RequestLedger
		acknowledged    string
		record, refused bool
	}{
		"a login that has never sent":                {record: true},
		"a login of this identity":                   {known: identities("acme")},
		"a login of another identity":                {known: identities("old"), refused: true},
		"another identity, acknowledged":             {known: identities("old"), acknowledged: "acme", record: true},
		"another identity, acknowledged for a third": {known: identities("old"), acknowledged: "other", refused: true},
		"a login that was acknowledged before":       {known: identities("old", "acme")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verdict, record := decide.JudgeIdentity(acme(test.acknowledged), test.known)
			if record != test.record || (verdict != nil) != test.refused {
				t.Errorf("recorded: %t, and %+v", record, verdict)
			}
		})
	}
}

func TestR31TheMessageAboutAnotherIdentitySaysWhatToDo(t *testing.T) {
	t.Parallel()
	verdict, _ := decide.JudgeIdentity(acme(""), identities("old"))
	for _, words := range []string{
		"clientName reseller has already sent requests to https://a under identity old", "RequestLedger identity-of-old",
		"kubectl -n retail annotate --overwrite carrieraccount main 'wholesale.broadband/acknowledge=acme'",
	} {
		if !strings.Contains(verdict.Message, words) {
			t.Errorf("%q is missing in %q", words, verdict.Message)
		}
	}
}
