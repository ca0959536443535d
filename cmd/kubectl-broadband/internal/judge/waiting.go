// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Waiting is why some objects are not Ready although no person has to act and no request runs.
type Waiting struct {
	Reason  string      `json:"reason"`
	Count   int         `json:"count"`
	Oldest  Reference   `json:"oldest"`
	Since   metav1.Time `json:"since"`   // since when the oldest has been waiting
	Message string      `json:"message"` // the message of the oldest
	Command string      `json:"command"` // shows what it waits for
}

// reasonApproved is the reason of an object whose plan of changes is approved and not sent yet.
const reasonApproved = "Approved"

func (o *Overview) addWaiting(object fleet.Object, ready metav1.Condition) {
	one := Waiting{
		Reason: ready.Reason, Count: 1, Oldest: ReferenceTo(object), Since: ready.LastTransitionTime,
		Message: ready.Message, Command: waitingCommand(object, ready.Reason),
	}
	at := slices.IndexFunc(o.Waiting, func(held Waiting) bool { return held.Reason == one.Reason })
	if at < 0 {
		o.Waiting = append(o.Waiting, one)
		return
	}
	held := &o.Waiting[at]
	one.Count = held.Count + 1
	if held.Since.Before(&one.Since) {
		held.Count = one.Count
		return
	}
	*held = one
}

func waitingCommand(object fleet.Object, reason string) string {
	switch reason {
	case v1alpha1.ReasonPolicyMissing:
		return "kubectl broadband check"
	case v1alpha1.ReasonAccountNotReady, v1alpha1.ReasonChargeLimit, v1alpha1.ReasonBreakerOpen,
		v1alpha1.ReasonCarrierUnavailable:
		return accountOf(object).Command("status")
	}
	return ReferenceTo(object).Command("status")
}

// waits reports whether an object is not Ready although nobody has to act and no request runs.
func waits(object fleet.Object) (why metav1.Condition, is bool) {
	why = Ready(object)
	if why.Reason == v1alpha1.ReasonAwaitingApproval {
		why.Reason = reasonApproved
	}
	is = Observed(object) && why.Status != metav1.ConditionTrue && !inProgress(why.Reason) && !AsDeclared(why.Reason)
	return why, is
}

// inProgress reports whether a reason means that a request or a read is in progress.
func inProgress(reason string) bool {
	switch reason {
	case v1alpha1.ReasonProgressing, v1alpha1.ReasonOverdue, v1alpha1.ReasonCarrierHold,
		v1alpha1.ReasonChangeInProgress, v1alpha1.ReasonDSLChangeInProgress:
		return true
	}
	return false
}

// AsDeclared reports whether a reason means that the manifest or the manager forbids changes.
func AsDeclared(reason string) bool { return NextOfDeclared(reason) != "" }

// NextOfDeclared says what comes next if the manifest prevents changes; "" for other reasons.
func NextOfDeclared(reason string) string {
	switch reason {
	case v1alpha1.ReasonPlanned:
		return "see kubectl broadband plan or import --report, then set managementPolicy: Manage"
	case v1alpha1.ReasonObserving:
		return "to see what would change, set managementPolicy: Plan"
	case v1alpha1.ReasonSuspended:
		return "to send the changes, set suspend: false"
	}
	return ""
}

// isApproved reports whether somebody has approved the plan of changes that the status shows.
func isApproved(object fleet.Object) bool {
	pending := PendingOf(object)
	return pending != nil && pending.Hash != "" && decide.Control(object, v1alpha1.AnnotationApprove) == pending.Hash
}

func (o *Overview) sortWaiting() {
	slices.SortFunc(o.Waiting, func(a, b Waiting) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Reason, b.Reason))
	})
}

type declared struct {
	account Reference
	number  v1alpha1.CarrierID
}

// addTwin adds an object whose service another object also declares. The operator refuses the
// second once the first has sent a request. Until then, each may change what the other declares.
func (o *Overview) addTwin(object fleet.Object, ready metav1.Condition) {
	service, is := object.(*v1alpha1.BroadbandService)
	if !is || !manages(service) || ready.Reason == v1alpha1.ReasonConflict {
		return
	}
	key := declared{accountOf(object), service.ServiceNumber()}
	first, found := o.services[key]
	if found {
		ready.Reason = v1alpha1.ReasonConflict
		ready.Message = fmt.Sprintf("service %s is declared by %s, too: delete one of the two, and create it again if it "+
			"is for another service", key.number, first.Short())
		o.Needs = append(o.Needs, needOf(object, Correct, ready))
		return
	}
	if o.services == nil {
		o.services = make(map[declared]Reference)
	}
	o.services[key] = ReferenceTo(object)
}

// manages reports whether the operator may change a service because of this object.
func manages(service *v1alpha1.BroadbandService) bool {
	policy := service.Spec.ManagementPolicy
	return service.ServiceNumber() != "" && (policy == "" || policy == v1alpha1.ManagementManage)
}
