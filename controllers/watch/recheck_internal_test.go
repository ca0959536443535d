// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// later records what is added to a work queue with a delay. It supports nothing else.
type later struct {
	workQueue

	after map[ctrl.Request]time.Duration
}

func (l later) AddAfter(request ctrl.Request, wait time.Duration) { l.after[request] = wait }

// called is an account and an object that sends requests, both with the given conditions.
func called(is ...metav1.Condition) []client.Object {
	account, service := &v1alpha1.CarrierAccount{}, &v1alpha1.BroadbandService{}
	account.Status.Conditions, service.Status.Conditions = is, is
	return []client.Object{account, service}
}

// The long simulation found two bugs. Two managers both led, and only one of them could log in, so
// they overwrote each other's status without a pause (SIM_SEED=219 at that time). One of two
// managers requested a price that the other already knew, and was then killed, which left the
// service Progressing forever (SIM_SEED=3525). When every write was rechecked, two managers
// overwrote each other's status every minute, because one showed a lost request as Progressing and
// the other as CarrierUnavailable.
func TestALessSettledObjectIsCheckedAgainAfterADelay(t *testing.T) {
	t.Parallel()
	yes, no := metav1.ConditionTrue, metav1.ConditionFalse
	ready := called(metav1.Condition{Type: v1alpha1.ConditionReady, Status: yes})
	waits := called(metav1.Condition{Type: v1alpha1.ConditionReady, Status: no, Reason: "AwaitingApproval"})
	works := called(metav1.Condition{Type: v1alpha1.ConditionReady, Status: no, Reason: "Progressing"},
		metav1.Condition{Type: v1alpha1.ConditionReconciling, Status: yes})
	hangs := called(metav1.Condition{Type: v1alpha1.ConditionReady, Status: no, Reason: "CarrierUnavailable"},
		metav1.Condition{Type: v1alpha1.ConditionReconciling, Status: yes})
	for name, scenario := range map[string]struct {
		was, is []client.Object
		waits   time.Duration // 0: it is not reconciled
	}{
		"ready no longer":                {ready, waits, time.Minute},
		"in progress again":              {ready, works, time.Minute},
		"waiting no longer":              {waits, works, time.Minute},
		"in progress for another reason": {works, hangs, 0},
		"waiting now":                    {works, waits, 0},
		"ready":                          {waits, ready, 0},
		"the first status":               {called(), works, 0},
	} {
		for i := range scenario.was {
			queue := later{after: map[ctrl.Request]time.Duration{}}
			update := event.UpdateEvent{ObjectOld: scenario.was[i], ObjectNew: scenario.is[i]}
			Recheck(time.Minute).Update(t.Context(), update, queue)
			if queue.after[ctrl.Request{}] != scenario.waits {
				t.Errorf("%s: %T looked at after %v, not %v", name, scenario.is[i], queue.after, scenario.waits)
			}
		}
	}
}
