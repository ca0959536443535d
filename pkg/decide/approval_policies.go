// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Withheld returns why nothing is sent as long as the admission policies are not in force.
func (p Policies) Withheld() Withheld {
	if p.Flaw == "" {
		return Withheld{}
	}
	return Withheld{p.Flaw + ", so nothing decides who may approve or resolve (install the manifests or the chart of " +
		"this version again: docs/install.md)", Stuck, v1alpha1.ReasonPolicyMissing}
}

// unchecked waits with a plan that needs an approval while anybody who may edit the object could
// approve it; nil if the policies are in force.
func (p Policies) unchecked(pending *v1alpha1.Pending) *Decision {
	return p.Withheld().Rest("nothing is sent: " + DescribeChanges(pending.Changes))
}

// voidResolution describes a resolve annotation that has no effect because anybody who may edit the
// object could have set it; "" if the policies are in force.
func (p Policies) voidResolution(value string) string {
	if p.Flaw == "" {
		return ""
	}
	return fmt.Sprintf("the annotation %s is %q, but has no effect, now or later: %s, so anybody who may edit the object "+
		"could have set it. Once the policy is restored, remove the annotation, and set it again", v1alpha1.AnnotationResolve,
		value, p.Flaw)
}
