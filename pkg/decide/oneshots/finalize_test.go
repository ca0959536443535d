// SPDX-License-Identifier: Apache-2.0

package oneshots_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
	"github.com/broadband-operator/broadband-operator/pkg/decide/oneshots"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A deleted test that another process may be sending is kept until that process must have recorded
// the response. If the test were removed earlier, the Location of its request would be lost.
func TestADeletedTestWaitsForTheProcessThatMayBeSendingIt(t *testing.T) {
	t.Parallel()
	const grace = 120 * time.Second
	open := v1alpha1.Request{
		Operation: v1alpha1.OperationDiagnosticTest, AttemptID: "a-1", Sender: "another", Phase: v1alpha1.PhaseSubmitting,
	}
	for name, row := range map[string]struct {
		edit     func(*v1alpha1.Request)
		after    time.Duration // since this process first saw it
		waits    bool
		reported bool
	}{
		"another process may be sending it": {func(*v1alpha1.Request) {}, 0, true, true},
		"just before the grace period ends": {func(*v1alpha1.Request) {}, grace - 1, true, true},
		"the grace period is over":          {func(*v1alpha1.Request) {}, grace, false, true},
		"this process has sent it":          {func(r *v1alpha1.Request) { r.Sender = "me" }, 0, false, true},
		"its response was lost": {
			func(r *v1alpha1.Request) { r.Error = &v1alpha1.RequestError{Message: "lost"} }, 0, false, true,
		},
		"its result is read again": {
			func(r *v1alpha1.Request) {
				r.Phase, r.EndedBy = v1alpha1.PhaseInProgress, v1alpha1.EndedByCarrier
			}, 0, false, false,
		},
		"it is in progress": {func(r *v1alpha1.Request) { r.Phase = v1alpha1.PhaseInProgress }, 0, false, true},
		"it has succeeded":  {func(r *v1alpha1.Request) { r.Phase = v1alpha1.PhaseSucceeded }, 0, false, false},
	} {
		test := &v1alpha1.DiagnosticTest{ObjectMeta: metav1.ObjectMeta{Name: "test"}}
		request := open
		row.edit(&request)
		test.Record().PutRequest(request)
		departure := oneshots.Finalize(decide.Input{
			Subject: test, Now: decidetest.Start().Add(row.after),
			Memory: decide.Memory{
				Observed: decide.Observed{Sender: "me"},
				Attempts: map[string]decide.Attempt{"a-1": {FirstSeen: decidetest.Start()}},
			},
		})
		until := time.Time{}
		if row.waits {
			until = decidetest.Start().Add(grace)
		}
		if !departure.WaitUntil.Equal(until) || (departure.Warning != "") != row.reported {
			t.Errorf("%s: it waits until %s, and the warning is %q", name, departure.WaitUntil, departure.Warning)
		}
	}
}
