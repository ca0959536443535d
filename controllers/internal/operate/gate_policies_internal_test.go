// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"context"
	"slices"
	"testing"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// policiesAt are policies as they are known from the last check, and as they are in the cluster now.
type policiesAt struct{ known, now error }

// Verify returns what is known.
func (p policiesAt) Verify(context.Context, decide.Policies) error { return p.known }

// VerifyLive returns what would be read.
func (p policiesAt) VerifyLive(context.Context, decide.Policies) error { return p.now }

// The policies may have been removed after the last check, and an approval set since by anybody. A
// request that needs no approval costs no read of the policies.
func TestTheGateReadsThePoliciesAgainForAnApprovedRequest(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		policies Policies
		approved string
		sent     bool
	}{
		"in force":                        {policiesAt{}, "p1", true},
		"something else checks approvals": {nil, "p1", true},
		"missing since the last check":    {policiesAt{now: errStep}, "p1", false},
		"missing since, without approval": {policiesAt{now: errStep}, "", true},
		"missing at the last check":       {policiesAt{known: errStep}, "", false},
	} {
		tape := newTape()
		protocol := tape.protocol("me")
		protocol.Policies = test.policies
		_, err := protocol.Send(t.Context(), tape.scope(), Submission{
			Request: v1alpha1.Request{
				Operation: v1alpha1.OperationPlanChange, APIVersion: 8, Phase: v1alpha1.PhaseSubmitting,
				ApprovedHash: test.approved,
			},
			Class: carrier.ClassCharge,
		})
		if sent := slices.Contains(tape.steps, stepPOST); sent != test.sent || err != nil {
			t.Errorf("%s: sent %t, %v after %v", name, sent, err, tape.steps)
		}
	}
}
