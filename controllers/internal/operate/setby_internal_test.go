// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A resolution is recorded with who set it (R27).
func TestR27WhoSetAnAnnotation(t *testing.T) {
	t.Parallel()
	const ours = `{"f:metadata":{"f:annotations":{".":{},"f:wholesale.broadband/resolve":{}}}}`
	entry := func(manager, fields string, minutes int) metav1.ManagedFieldsEntry {
		when := metav1.NewTime(time.Unix(0, 0).Add(time.Duration(minutes) * time.Minute))
		return metav1.ManagedFieldsEntry{Manager: manager, Time: &when, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	timeless := metav1.ManagedFieldsEntry{Manager: "timeless", FieldsV1: metav1.NewFieldsV1(ours)}
	for name, test := range map[string]struct {
		managed []metav1.ManagedFieldsEntry
		want    string
	}{
		"nobody": {want: "unknown"},
		"one": {
			[]metav1.ManagedFieldsEntry{entry("kubectl", `{"f:spec":{}}`, 9), entry("kubectl-annotate", ours, 1)},
			"unknown (client kubectl-annotate)",
		},
		"another": {
			[]metav1.ManagedFieldsEntry{entry("kubectl", strings.ReplaceAll(ours, "resolve", "approve"), 1)}, "unknown",
		},
		"the newest of two": {
			[]metav1.ManagedFieldsEntry{entry("argocd", ours, 2), entry("kubectl", ours, 1)}, "unknown (client argocd)",
		},
		"the newest of two, which comes last": {
			[]metav1.ManagedFieldsEntry{entry("argocd", ours, 1), entry("kubectl", ours, 2)}, "unknown (client kubectl)",
		},
		"without a time":  {[]metav1.ManagedFieldsEntry{timeless}, "unknown (client timeless)"},
		"without fields":  {[]metav1.ManagedFieldsEntry{{Manager: "kubectl"}}, "unknown"},
		"of another form": {[]metav1.ManagedFieldsEntry{entry("kubectl", `[1]`, 1)}, "unknown"},
		"of a longer name": {
			[]metav1.ManagedFieldsEntry{entry(strings.Repeat("ä", 200), ours, 1)},
			"unknown (client " + strings.Repeat("ä", 112),
		},
	} {
		object := &metav1.ObjectMeta{ManagedFields: test.managed}
		if got := (&Protocol{}).SetBy(object, "wholesale.broadband/resolve"); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestTheNameOfAUserIsClaimedUnlessThePoliciesAreChecked(t *testing.T) {
	t.Parallel()
	object := &metav1.ObjectMeta{Annotations: map[string]string{"wholesale.broadband/resolved-by": "jo"}}
	for want, protocol := range map[string]*Protocol{
		"jo": {Policies: policiesAt{}}, "jo (claimed)": {},
	} {
		if got := protocol.SetBy(object, "wholesale.broadband/resolve"); got != want {
			t.Errorf("it is %q, not %q", got, want)
		}
	}
}
