// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"fmt"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Withheld is why nothing may be sent at all. The zero value withholds nothing.
type Withheld struct {
	Why string

	state  State
	reason string
}

// Withheld returns why nothing may be sent at all.
func (in *Input) Withheld() Withheld {
	switch {
	case !in.Submit:
		return Withheld{"the manager runs with --submit=false", Waiting, v1alpha1.ReasonPlanned}
	case in.Installation.Waits == v1alpha1.MarkerRecovery:
		return Withheld{fmt.Sprintf("the objects of this cluster were restored (restore the RequestLedgers too, compare "+
			"them with the carrier's records, then run: %s)", in.Installation.command()), Waiting, v1alpha1.ReasonPlanned}
	}
	return in.Installation.Policies.Withheld()
}

// Rest returns the decision to send nothing, with what that means here; nil if nothing is withheld.
func (w Withheld) Rest(meaning string) *Decision {
	if w.Why == "" {
		return nil
	}
	return RestOn(Verdict{w.state, w.reason, w.Why + ", so " + meaning})
}

// AwaitAcknowledgement holds back what nothing but its ledger keeps from being sent twice, until a
// person has said that this is a new installation (R5). Everything else is read before it is
// changed.
func AwaitAcknowledgement(in *Input, what string) *Decision {
	if in.Installation.Waits != v1alpha1.MarkerNewInstallation {
		return nil
	}
	return RestWaiting(v1alpha1.ReasonNewInstallation, fmt.Sprintf(
		"objects existed before the operator first ran: if another installation has already sent their requests, "+
			"restore its RequestLedgers first; otherwise run %s. Until then, %s is not sent", in.Installation.command(), what))
}

// sentOnlyOnce reports whether nothing but its ledger keeps an operation from being sent again.
func sentOnlyOnce(operation v1alpha1.Operation) bool {
	return operation == v1alpha1.OperationOrderCreate || operation == v1alpha1.OperationDiagnosticTest
}

// Withheld returns why nothing is sent as long as the admission policies are not in force.
func (p Policies) Withheld() Withheld {
	if p.Flaw == "" {
		return Withheld{}
	}
	return Withheld{p.Flaw + ", so nothing decides who may approve or resolve (install the manifests or the chart of " +
		"this version again: docs/install.md)", Stuck, v1alpha1.ReasonPolicyMissing}
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
