// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// later notes what is put into a work queue for later. It can do nothing else.
type later struct {
	looks

	after map[ctrl.Request]time.Duration
}

func (l later) AddAfter(request ctrl.Request, wait time.Duration) { l.after[request] = wait }

func accountWhoseReady(is metav1.ConditionStatus) *v1alpha1.CarrierAccount {
	account := &v1alpha1.CarrierAccount{}
	account.Name = "default"
	account.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: is}}
	return account
}

// Two managers that both lead, one of which can log in and the other cannot, wrote against each
// other without a pause: the long simulation found it (SIM_SEED=219, as it was then).
func TestAnAccountIsDoubtedAfterAWhile(t *testing.T) {
	t.Parallel()
	for name, story := range map[string]struct {
		was, is metav1.ConditionStatus
		waits   time.Duration // 0: it is not looked at
	}{
		"called unready": {metav1.ConditionTrue, metav1.ConditionFalse, time.Minute},
		"called ready":   {metav1.ConditionFalse, metav1.ConditionTrue, 0},
		"still unready":  {metav1.ConditionFalse, metav1.ConditionFalse, 0},
	} {
		queue := later{after: map[ctrl.Request]time.Duration{}}
		doubt().Update(t.Context(), event.UpdateEvent{
			ObjectOld: accountWhoseReady(story.was), ObjectNew: accountWhoseReady(story.is),
		}, queue)
		var request ctrl.Request
		request.Name = "default"
		if queue.after[request] != story.waits {
			t.Errorf("%s: looked at after %v, not %v", name, queue.after, story.waits)
		}
	}
}
