// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

func TestAWaveCountsWhatHasChangedSinceTheWatchBegan(t *testing.T) {
	t.Parallel()
	wave := judge.NewWave(start())
	see := func(objects ...*v1alpha1.BroadbandService) {
		overview := wave.Overview()
		for _, object := range objects {
			overview.Add(object)
		}
	}
	at := func(name, reason string) *v1alpha1.BroadbandService { return notReady(name, reason, 0) }
	ready := func(name string) *v1alpha1.BroadbandService {
		service := at(name, v1alpha1.ReasonInSync)
		service.Status.Conditions[0].Status = metav1.ConditionTrue
		return service
	}
	edited := ready("edited")
	edited.Generation = 2
	stalled := at("refused", v1alpha1.ReasonPlanNameInvalid)
	stalled.Status.Conditions = append(stalled.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonPlanNameInvalid,
	})
	idle := []*v1alpha1.BroadbandService{ready("idle"), at("planned", v1alpha1.ReasonPlanned)}

	see(append(idle, stalled)...)
	if !wave.IsEmpty() {
		t.Error("the wave has what was at rest all the time:", wave.Tally)
	}
	progressing, waiting := v1alpha1.ReasonProgressing, v1alpha1.ReasonChargeLimit
	see(append(idle, edited, at("a", progressing), at("b", progressing), at("refused", progressing), at("c", waiting))...)
	if got := wave.Tally.String(); got != "0 of 5 done, 4 in progress, 1 waiting" {
		t.Error(got)
	}
	if left, known := wave.Left(start().Add(time.Minute)); known {
		t.Error("nothing is done, and the rest takes", left)
	}
	see(append(idle, ready("edited"), ready("a"), at("b", progressing), stalled, at("c", waiting))...)
	if got := wave.Tally.String(); got != "2 of 5 done, 1 in progress, 1 waiting, 1 needing a person" {
		t.Error(got)
	}
	if left, known := wave.Left(start().Add(time.Minute)); !known || left != time.Minute {
		t.Error("two of four have taken a minute, and the other two take", left)
	}
	see(append(idle, ready("edited"), ready("a"), ready("b"), ready("refused"), ready("c"))...)
	if left, known := wave.Left(start().Add(time.Minute)); known {
		t.Error("all are done, and the rest takes", left)
	}
}
