// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/pkg/admission"
)

// shipped returns the policy of this version with a name, for an operator in a namespace.
func shipped(t *testing.T, name, namespace string) admission.Policy {
	t.Helper()
	all, err := admission.Shipped(namespace)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if one.Name() == name {
			return one
		}
	}
	t.Fatalf("there is no policy %s among %d", name, len(all))
	return admission.Policy{}
}

func TestEachShippedPolicyRefusesAndHasItsBinding(t *testing.T) {
	t.Parallel()
	all, err := admission.Shipped("broadband-operator")
	if err != nil || len(all) != 5 {
		t.Fatalf("%d policies, %v", len(all), err)
	}
	for _, one := range all {
		spec := one.Binding.Spec
		want := admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: one.Name(), ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		}
		if one.Binding.Name != one.Name() || !equality.Semantic.DeepEqual(spec, want) {
			t.Errorf("%s is bound as %+v", one.Name(), spec)
		}
		if failure := one.Policy.Spec.FailurePolicy; failure == nil || *failure != admissionregistrationv1.Fail {
			t.Errorf("%s does not fail closed", one.Name())
		}
	}
}

func TestAPolicyIsComparedWithWhatIsShipped(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		edit func(*admission.Policy)
		says string
	}{
		"as shipped": {func(*admission.Policy) {}, ""},
		"labels and annotations of an installer": {func(p *admission.Policy) {
			p.Policy.Labels = map[string]string{"app.kubernetes.io/managed-by": "Helm"}
			p.Binding.Annotations = map[string]string{"note": "ours"}
		}, ""},
		"no policy": {
			func(p *admission.Policy) { p.Policy = nil }, "Policy broadband-operator-approval is not installed",
		},
		"no binding": {
			func(p *admission.Policy) { p.Binding = nil }, "Binding broadband-operator-approval is not installed",
		},
		"a rule is missing": {func(p *admission.Policy) {
			p.Policy.Spec.Validations = p.Policy.Spec.Validations[1:]
		}, "Policy broadband-operator-approval differs"},
		"it fails open": {func(p *admission.Policy) {
			p.Policy.Spec.FailurePolicy = new(admissionregistrationv1.Ignore)
		}, "Policy broadband-operator-approval differs"},
		"it matches less": {func(p *admission.Policy) {
			p.Policy.Spec.MatchConstraints.ResourceRules[0].Resources = []string{"serviceorders"}
		}, "Policy broadband-operator-approval differs"},
		"a condition excludes requests": {func(p *admission.Policy) {
			p.Policy.Spec.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "never", Expression: "false"}}
		}, "Policy broadband-operator-approval differs"},
		"the binding only warns": {func(p *admission.Policy) {
			p.Binding.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn}
		}, "Binding broadband-operator-approval differs"},
		"the binding excludes namespaces": {func(p *admission.Policy) {
			p.Binding.Spec.MatchResources = &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "a"}},
			}
		}, "Binding broadband-operator-approval differs"},
		"the binding names another policy": {func(p *admission.Policy) {
			p.Binding.Spec.PolicyName = "other"
		}, "Binding broadband-operator-approval differs"},
		"it is being deleted": {func(p *admission.Policy) {
			p.Policy.DeletionTimestamp = new(metav1.Now())
		}, "is being deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wanted, found := shipped(t, admission.Approval, "team"), shipped(t, admission.Approval, "team")
			test.edit(&found)
			flaw := wanted.Flaw(found)
			if !strings.Contains(flaw, test.says) || (flaw == "") != (test.says == "") {
				t.Errorf("%q, want %q", flaw, test.says)
			}
		})
	}
}

func TestThePolicyOfLedgersPermitsTheOperatorOfItsNamespace(t *testing.T) {
	t.Parallel()
	const name = "broadband-operator-ledgers"
	for _, test := range []struct{ installed, operator string }{
		{"broadband-operator", "broadband-operator"},
		{"carrier-b", "carrier-b"},
		{"broadband-operator", "carrier-b"},
		{"carrier-b", "broadband-operator"},
	} {
		flaw := shipped(t, name, test.operator).Flaw(shipped(t, name, test.installed))
		same := test.installed == test.operator
		if (flaw == "") != same || !same && !namesBoth(flaw, test.installed, test.operator) {
			t.Errorf("installed for %s, operator in %s: %q", test.installed, test.operator, flaw)
		}
	}
}

// namesBoth reports whether a flaw names the operators of two namespaces.
func namesBoth(flaw, installed, operator string) bool {
	return strings.Contains(flaw, ":"+installed+":") && strings.Contains(flaw, ":"+operator+":")
}

// A policy that was absent or different for a while is never mistaken for the one before.
func TestTheIdentityChangesWithEveryReplacementAndChange(t *testing.T) {
	t.Parallel()
	before := shipped(t, admission.Approval, "team")
	before.Policy.UID, before.Policy.Generation = "policy", 3
	before.Binding.UID, before.Binding.Generation = "binding", 7
	for name, edit := range map[string]func(*admission.Policy){
		"the policy was replaced":  func(p *admission.Policy) { p.Policy.UID, p.Policy.Generation = "another", 1 },
		"the binding was replaced": func(p *admission.Policy) { p.Binding.UID, p.Binding.Generation = "another", 1 },
		"the policy was changed":   func(p *admission.Policy) { p.Policy.Generation += 2 },
		"the binding was changed":  func(p *admission.Policy) { p.Binding.Generation += 2 },
	} {
		after := admission.Policy{Policy: before.Policy.DeepCopy(), Binding: before.Binding.DeepCopy()}
		if after.Identity() != before.Identity() {
			t.Errorf("the same policy has two identities")
		}
		edit(&after)
		if after.Identity() == before.Identity() {
			t.Errorf("%s: the identity is the same", name)
		}
	}
}
