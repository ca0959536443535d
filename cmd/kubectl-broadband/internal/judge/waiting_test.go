// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/test/source"
)

// notReady is a service of the account default that is not Ready since some minutes after the start.
func notReady(name, reason string, minutes int) *v1alpha1.BroadbandService {
	service := &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: name}}
	service.Spec.AccountRef.Name = "default"
	service.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: reason, Message: reason + " of " + name,
		LastTransitionTime: metav1.NewTime(start().Add(time.Duration(minutes) * time.Minute)),
	}}
	return service
}

// overviewOf is the overview of an account and of objects.
func overviewOf(account string, objects ...*v1alpha1.BroadbandService) *judge.Overview {
	overview := &judge.Overview{}
	login := &v1alpha1.CarrierAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: "default"}}
	status := metav1.ConditionFalse
	if account == v1alpha1.ReasonTokenIssued {
		status = metav1.ConditionTrue
	}
	login.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: status, Reason: account}}
	overview.Add(login)
	for _, object := range objects {
		overview.Add(object)
	}
	overview.Sort()
	return overview
}

// Nothing is reported as clear that is neither Ready nor in progress, unless the manifest says so.
func TestOnlyWhatIsReadyOrInProgressOrDeclaredSoIsClear(t *testing.T) {
	t.Parallel()
	isClear := map[string]bool{
		v1alpha1.ReasonProgressing: true, v1alpha1.ReasonOverdue: true, v1alpha1.ReasonCarrierHold: true,
		v1alpha1.ReasonChangeInProgress: true, v1alpha1.ReasonDSLChangeInProgress: true,
		v1alpha1.ReasonPlanned: true, v1alpha1.ReasonObserving: true, v1alpha1.ReasonSuspended: true,
	}
	for _, reason := range source.Reasons(t) {
		overview := overviewOf(v1alpha1.ReasonTokenIssued, notReady("site", reason, 0))
		if overview.IsClear() != isClear[reason] {
			t.Errorf("%s: clear %t: %+v %+v", reason, overview.IsClear(), overview.Needs, overview.Waiting)
		}
	}
}

func TestWhatWaitsIsCountedByReasonWithTheOldest(t *testing.T) {
	t.Parallel()
	overview := overviewOf(v1alpha1.ReasonTokenIssued,
		notReady("b", v1alpha1.ReasonChargeLimit, 2), notReady("a", v1alpha1.ReasonChargeLimit, 1),
		notReady("c", v1alpha1.ReasonChargeLimit, 3), notReady("d", v1alpha1.ReasonPolicyMissing, 0))
	if len(overview.Waiting) != 2 || len(overview.Needs) != 0 {
		t.Fatalf("%+v", overview)
	}
	limit, policy := overview.Waiting[0], overview.Waiting[1]
	if limit.Count != 3 || limit.Oldest.Name != "a" || limit.Message != "ChargeLimit of a" ||
		limit.Command != "kubectl broadband status -n sites cacct/default" {
		t.Errorf("%+v", limit)
	}
	if policy.Count != 1 || policy.Command != "kubectl broadband check" {
		t.Errorf("%+v", policy)
	}
}

func TestAnAccountThatCannotLogInIsLookedAtAndItsServicesWait(t *testing.T) {
	t.Parallel()
	overview := overviewOf(v1alpha1.ReasonUnreachable, notReady("site", v1alpha1.ReasonAccountNotReady, 0))
	if len(overview.Needs) != 1 || overview.Needs[0].Action != judge.Look || overview.Needs[0].Kind != "CarrierAccount" {
		t.Errorf("%+v", overview.Needs)
	}
	if len(overview.Waiting) != 1 || overview.Waiting[0].Reason != v1alpha1.ReasonAccountNotReady {
		t.Errorf("%+v", overview.Waiting)
	}
}

func TestWhatIsApprovedWaitsForNoApproval(t *testing.T) {
	t.Parallel()
	service := notReady("site", v1alpha1.ReasonAwaitingApproval, 0)
	service.Status.Pending = &v1alpha1.Pending{Hash: "p1"}
	for approved, waits := range map[string]bool{"": false, "p0": false, "p1": true} {
		service.Annotations = map[string]string{v1alpha1.AnnotationApprove: approved}
		overview := overviewOf(v1alpha1.ReasonTokenIssued, service)
		if waiting := len(overview.Waiting) == 1 && overview.Waiting[0].Reason == "Approved"; waiting != waits {
			t.Errorf("approved with %q: %+v %+v", approved, overview.Needs, overview.Waiting)
		}
	}
}

func TestAServiceThatTwoObjectsDeclareIsCorrectedBeforeOneOfThemSendsARequest(t *testing.T) {
	t.Parallel()
	const number = "4000001"
	of := func(name, reason string, policy v1alpha1.ManagementPolicy) *v1alpha1.BroadbandService {
		service := notReady(name, reason, 0)
		service.Spec.ServiceID, service.Spec.ManagementPolicy = number, policy
		return service
	}
	first := of("a", v1alpha1.ReasonProgressing, v1alpha1.ManagementManage)
	elsewhere := of("c", v1alpha1.ReasonProgressing, v1alpha1.ManagementManage)
	elsewhere.Spec.AccountRef.Name = "another"
	for name, test := range map[string]struct {
		second *v1alpha1.BroadbandService
		says   string
	}{
		"both would change it": {
			of("b", v1alpha1.ReasonProgressing, v1alpha1.ManagementManage),
			"service 4000001 is declared by bbs/a, too: delete one of the two, and create it again if it is for another service",
		},
		"the operator says so":       {of("b", v1alpha1.ReasonConflict, v1alpha1.ManagementManage), ""},
		"the second changes nothing": {of("b", v1alpha1.ReasonProgressing, v1alpha1.ManagementObserve), ""},
		"another account":            {elsewhere, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := ""
			for _, need := range overviewOf(v1alpha1.ReasonTokenIssued, first, test.second).Needs {
				if need.Action != judge.Correct || need.Reason != v1alpha1.ReasonConflict {
					t.Errorf("%+v", need)
				}
				said += need.Message
			}
			if said != test.says {
				t.Errorf("%q, want %q", said, test.says)
			}
		})
	}
}
