// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
)

func TestAPolicyThatIsNotAsShippedFails(t *testing.T) {
	t.Parallel()
	shipped, err := admission.Shipped("broadband-operator")
	if err != nil {
		t.Fatal(err)
	}
	for _, wanted := range shipped {
		if check := judge.CheckPolicy(wanted, wanted); check.Result != judge.CheckOK {
			t.Errorf("%+v", check)
		}
		check := judge.CheckPolicy(wanted, admission.Policy{Policy: wanted.Policy})
		if check.Result != judge.CheckFailed || !strings.Contains(check.Detail, "docs/install.md") {
			t.Errorf("%+v", check)
		}
	}
}

func TestTheVersionOfTheOperatorIsTheTagOfItsImage(t *testing.T) {
	t.Parallel()
	const digest = "@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
	for image, result := range map[string]judge.CheckResult{
		"ghcr.io/broadband-operator/broadband-operator:v0.1.0":          judge.CheckOK,
		"ghcr.io/broadband-operator/broadband-operator:v0.0.9":          judge.CheckWarning,
		"ghcr.io/broadband-operator/broadband-operator:v0.1.0" + digest: judge.CheckOK,
		"ghcr.io/broadband-operator/broadband-operator:v0.0.9" + digest: judge.CheckWarning,
		"ghcr.io/broadband-operator/broadband-operator" + digest:        judge.CheckSkipped,
		"ghcr.io/broadband-operator/broadband-operator":                 judge.CheckSkipped,
		"registry.example:5000/broadband-operator:v0.1.0" + digest:      judge.CheckOK,
		"registry.example:5000/broadband-operator" + digest:             judge.CheckSkipped,
	} {
		if check := judge.CheckVersions("v0.1.0", image, 1); check.Result != result {
			t.Errorf("%s: %+v, want %s", image, check, result)
		}
		if check := judge.CheckVersions("v0.1.0", image, 0); check.Result != judge.CheckFailed {
			t.Errorf("%s without a replica: %+v", image, check)
		}
	}
}

func TestTheExtensionsOfAnAccountAreChecked(t *testing.T) {
	t.Parallel()
	account := &v1alpha1.CarrierAccount{}
	if check := extensionsOf(account); check != nil {
		t.Errorf("without extensions: %+v", check)
	}
	account.Spec.Extensions = []v1alpha1.Extension{v1alpha1.ExtensionTestTypes}
	if check := extensionsOf(account); check == nil || check.Result != judge.CheckSkipped {
		t.Errorf("before the first call: %+v", check)
	}
	for _, test := range []struct {
		status metav1.ConditionStatus
		result judge.CheckResult
	}{{metav1.ConditionTrue, judge.CheckOK}, {metav1.ConditionFalse, judge.CheckFailed}} {
		account.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionExtensions, Status: test.status}}
		if check := extensionsOf(account); check == nil || check.Result != test.result {
			t.Errorf("condition %q: %+v", test.status, check)
		}
	}
}

// extensionsOf returns the check of the extensions; nil if there is none.
func extensionsOf(account *v1alpha1.CarrierAccount) *judge.Check {
	checks := judge.CheckAccount(account)
	at := slices.IndexFunc(checks, func(check judge.Check) bool { return check.What == "extensions" })
	if at < 0 {
		return nil
	}
	return &checks[at]
}

func TestAnOrderIsFoundByEachOfItsNumbers(t *testing.T) {
	t.Parallel()
	order := &v1alpha1.ServiceOrder{ObjectMeta: metav1.ObjectMeta{Name: "site-new"}}
	order.Spec.CustomerReference, order.Spec.ServiceID = "SITE-015", "1000020"
	order.Spec.Qualification.LocationID, order.Status.OrderID = "LOC000012345678", "9007199254741095"
	for text, field := range map[string]string{
		"site-015": "customer reference", "1000020": "service", "loc000012345678": "location", "9007199254741095": "order",
		"SITE-NEW": "name",
	} {
		if match := judge.Find(order, text); match == nil || match.Field != field || !match.Exact {
			t.Errorf("%s: %+v", text, match)
		}
	}
}
