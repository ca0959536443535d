// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// later notes what is put into a work queue for later. It can do nothing else.
type later struct {
	looks

	after map[ctrl.Request]time.Duration
}

func (l later) AddAfter(request ctrl.Request, wait time.Duration) { l.after[request] = wait }

// readyFor is an account and an object that sends requests, with a Ready condition; none without a
// reason.
func readyFor(reason string, is metav1.ConditionStatus) []client.Object {
	account, service := &v1alpha1.CarrierAccount{}, &v1alpha1.BroadbandService{}
	if reason != "" {
		ready := []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: is, Reason: reason}}
		account.Status.Conditions, service.Status.Conditions = ready, ready
	}
	return []client.Object{account, service}
}

// Two managers that both lead, one of which can log in and the other cannot, wrote against each
// other without a pause: the long simulation found it (SIM_SEED=219, as it was then). And one of two
// that asked for a price that the other knew, and was killed, left the service Progressing for ever
// (SIM_SEED=3525).
func TestAWordOfReadyIsDoubtedAfterAWhile(t *testing.T) {
	t.Parallel()
	for name, story := range map[string]struct {
		was, is []client.Object
		waits   time.Duration // 0: it is not looked at
	}{
		"called unready": {readyFor("A", metav1.ConditionTrue), readyFor("A", metav1.ConditionFalse), time.Minute},
		"called ready":   {readyFor("A", metav1.ConditionFalse), readyFor("A", metav1.ConditionTrue), time.Minute},
		"another reason": {readyFor("A", metav1.ConditionFalse), readyFor("B", metav1.ConditionFalse), time.Minute},
		"the first word": {readyFor("", ""), readyFor("A", metav1.ConditionFalse), time.Minute},
		"nothing new":    {readyFor("A", metav1.ConditionFalse), readyFor("A", metav1.ConditionFalse), 0},
	} {
		for i := range story.was {
			queue := later{after: map[ctrl.Request]time.Duration{}}
			doubt().Update(t.Context(), event.UpdateEvent{ObjectOld: story.was[i], ObjectNew: story.is[i]}, queue)
			if queue.after[ctrl.Request{}] != story.waits {
				t.Errorf("%s: %T looked at after %v, not %v", name, story.is[i], queue.after, story.waits)
			}
		}
	}
}
