// SPDX-License-Identifier: Apache-2.0

package prove

import (
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// "An attempt that a person ended makes a new hash" (R11), whatever was approved before.
func TestR11WhatAPersonCalledNotAcceptedIsApprovedAnew(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{{"NotAccepted"}, {"Succeeded", "NotAccepted"}} {
		script(t, converting, 1, func(t *testing.T, s *scripted) {
			t.Helper()
			s.editAccount(t, func(account *v1alpha1.CarrierAccountSpec) { account.Approval = v1alpha1.ApprovalAlways })
			s.at = once("POST "+submitPath(converting), func() Kind { return BadGateway })
			s.passes(t, s.managers[0], time.Minute)
			hash := s.service(t).Status.Pending.Hash
			s.edit(t.Context(), func(subject Subject) { annotate(subject, v1alpha1.AnnotationApprove, hash) })
			s.alert()
			s.passes(t, s.managers[0], time.Minute)
			attempt := s.subject().RequestOf(converting).AttemptID
			for _, word := range words {
				s.edit(t.Context(), func(subject Subject) {
					annotate(subject, v1alpha1.AnnotationResolve, attempt+"="+word)
				})
				s.alert()
				s.passes(t, s.managers[0], 10*time.Minute)
			}
			if said, _, _ := stateOf(s.subject()); said != v1alpha1.ReasonAwaitingApproval || s.posted(converting) != 1 {
				t.Errorf("%v: it is %s, and %d were sent", words, said, s.posted(converting))
			}
		})
	}
}
