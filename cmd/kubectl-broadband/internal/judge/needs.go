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

// Need is one thing that a person has to do about an object.
type Need struct {
	Reference

	Action  Action            `json:"action"`
	Reason  string            `json:"reason"`
	What    string            `json:"what"`           // what it is about, in one line
	Message string            `json:"message"`        // the whole message of the condition
	Since   metav1.Time       `json:"since"`          // since when
	Hash    string            `json:"hash,omitempty"` // of the plan of changes to approve
	Command string            `json:"command"`        // what to do next
	Changes []v1alpha1.Change `json:"changes,omitempty"`
}

// Count is how many objects of a kind have a reason.
type Count struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	Ready  string `json:"ready"`
	Count  int    `json:"count"`
}

// Overview is what needs a person, and what the fleet looks like.
type Overview struct {
	Needs   []Need    `json:"needs"`
	Waiting []Waiting `json:"waiting,omitempty"`
	ToSpend Sums      `json:"toApprove"` // what the changes that wait for approval cost
	Counts  []Count   `json:"counts"`
	Objects int       `json:"objects"`

	Wave     *Wave                  `json:"-"` // the progress that a watch shows; nil without a watch
	accounts map[Reference]bool     // the accounts that exist
	services map[declared]Reference // the object that declares each service first
}

// IsClear reports whether all objects are Ready, or have a request in progress.
func (o *Overview) IsClear() bool { return len(o.Needs) == 0 && len(o.Waiting) == 0 }

// Add adds one object. The accounts must be added before the objects that use them.
func (o *Overview) Add(object fleet.Object) {
	o.Objects++
	ready := Ready(object)
	o.count(fleet.KindOf(object).Name, ready)
	if _, is := object.(*v1alpha1.CarrierAccount); is {
		o.seen(object)
	}
	o.Wave.count(object)
	o.addTwin(object, ready)
	needs := NeedsOf(object)
	for _, need := range needs {
		if need.Action == Approve {
			o.ToSpend.Add(need.Changes)
		}
	}
	o.Needs = append(o.Needs, needs...)
	why, waiting := waits(object)
	switch {
	case len(needs) > 0 || !waiting:
	case ready.Reason == v1alpha1.ReasonAccountNotReady && !o.accounts[accountOf(object)]:
		o.lacksAccount(object, ready)
	default:
		o.addWaiting(object, why)
	}
}

func (o *Overview) seen(account fleet.Object) {
	if o.accounts == nil {
		o.accounts = make(map[Reference]bool)
	}
	o.accounts[ReferenceTo(account)] = true
}

// lacksAccount adds an object whose account does not exist: somebody has to create it.
func (o *Overview) lacksAccount(object fleet.Object, ready metav1.Condition) {
	need := needOf(object, Correct, ready)
	need.Command = fmt.Sprintf("kubectl -n %s get cacct %s", object.GetNamespace(), AccountOf(object))
	o.Needs = append(o.Needs, need)
}

func (o *Overview) count(kind string, ready metav1.Condition) {
	for i := range o.Counts {
		held := &o.Counts[i]
		if held.Kind == kind && held.Reason == ready.Reason && held.Ready == string(ready.Status) {
			held.Count++
			return
		}
	}
	o.Counts = append(o.Counts, Count{Kind: kind, Reason: ready.Reason, Ready: string(ready.Status), Count: 1})
}

// Sort orders what was added: needs by action and age, and counts by kind and number.
func (o *Overview) Sort() {
	o.sortWaiting()
	rank := func(action Action) int { return slices.Index(Actions(), action) }
	slices.SortFunc(o.Needs, func(a, b Need) int {
		return cmp.Or(rank(a.Action)-rank(b.Action), a.Since.Compare(b.Since.Time), a.Before(b.Reference))
	})
	kinds := fleet.Kinds()
	order := func(name string) int {
		return slices.IndexFunc(kinds, func(kind fleet.Kind) bool { return kind.Name == name })
	}
	slices.SortFunc(o.Counts, func(a, b Count) int {
		return cmp.Or(order(a.Kind)-order(b.Kind), b.Count-a.Count, cmp.Compare(a.Reason, b.Reason))
	})
}

// NeedsOf returns what a person has to do about an object whose status is of the present manifest.
func NeedsOf(object fleet.Object) []Need {
	if !Observed(object) {
		return nil
	}
	ready := Ready(object)
	needs := unknownOutcomes(object, ready)
	asked := Condition(object, v1alpha1.ConditionApprovalRequired)
	switch {
	case isApproved(object): // it is about to be sent
	case asked != nil && asked.Status == metav1.ConditionTrue:
		needs = append(needs, approvalOf(object, *asked))
	case ready.Reason == v1alpha1.ReasonAwaitingApproval:
		needs = append(needs, approvalOf(object, ready))
	}
	stalled := Stalled(object)
	switch {
	case stalled != nil:
		if action := actionOf(stalled.Reason); !slices.ContainsFunc(needs, func(n Need) bool { return n.Action == action }) {
			needs = append(needs, needOf(object, action, *stalled))
		}
	case ready.Reason == v1alpha1.ReasonNewInstallation, isBroken(object, ready):
		needs = append(needs, needOf(object, Look, ready))
	}
	return needs
}

// isBroken reports whether an object is an account that cannot be used, so that its objects wait.
func isBroken(object fleet.Object, ready metav1.Condition) bool {
	_, isAccount := object.(*v1alpha1.CarrierAccount)
	return isAccount && ready.Status == metav1.ConditionFalse && !inProgress(ready.Reason)
}

func unknownOutcomes(object fleet.Object, ready metav1.Condition) []Need {
	var needs []Need
	for _, request := range RequestsOf(object) {
		if !AsksPerson(request) {
			continue
		}
		need := needOf(object, Resolve, ready)
		need.Reason = string(request.Phase)
		if request.Error != nil && actionOf(request.Error.Code) == Resolve {
			need.Reason = request.Error.Code
		}
		need.What = DescribeRequest(request)
		need.Since = request.SubmittedAt
		needs = append(needs, need)
	}
	return needs
}

// AsksPerson reports whether only a person can find out what became of a request.
func AsksPerson(request v1alpha1.Request) bool {
	return request.Phase == v1alpha1.PhaseOutcomeUnknown || request.Phase == v1alpha1.PhaseLateAcceptance
}

// DescribeRequest says what was requested, and when.
func DescribeRequest(request v1alpha1.Request) string {
	text := operationOf(&request)
	if target := DescribeTarget(request.Target); target != "" {
		text += " to " + target
	}
	if !request.SubmittedAt.IsZero() {
		text += ", sent " + Time(request.SubmittedAt)
	}
	return text
}

func operationOf(request *v1alpha1.Request) string {
	if decide.StandsForAll(request) {
		return "whatever was sent before the RequestLedger was lost"
	}
	return string(request.Operation)
}

func approvalOf(object fleet.Object, why metav1.Condition) Need {
	need := needOf(object, Approve, why)
	need.Reason = v1alpha1.ReasonAwaitingApproval
	if pending := PendingOf(object); pending != nil {
		need.Hash, need.Changes = pending.Hash, pending.Changes
		need.What = decide.DescribeChanges(need.Changes)
	}
	return need
}

func needOf(object fleet.Object, action Action, why metav1.Condition) Need {
	reference := ReferenceTo(object)
	verb := "status"
	if action == Approve || action == Resolve {
		verb = string(action)
	}
	return Need{
		Reference: reference, Action: action, Reason: why.Reason, What: why.Message, Message: why.Message,
		Since: why.LastTransitionTime, Command: reference.Command(verb),
	}
}

// nextCommands returns what to do next about an object, as commands to paste; empty if nothing needs a
// person, or if only the message says what to do.
func nextCommands(object fleet.Object, detail *Detail) []string {
	next := []string{}
	add := func(command string) {
		if command != "" && !slices.Contains(next, command) {
			next = append(next, command)
		}
	}
	for _, need := range detail.Needs {
		switch need.Action {
		case Approve:
			add(detail.Command("approve"))
			if decide.HasUnknown(detail.Changes) {
				add(detail.Command("trust"))
			}
		case Resolve:
			add(detail.Command("resolve"))
		case Correct:
			add(editCommand(object, detail))
			add(retryCommand(object, detail))
		case Look:
			add(lookCommand(object, detail))
		}
	}
	return next
}

// editCommand returns "" if the API server refuses every change of the spec.
func editCommand(object fleet.Object, detail *Detail) string {
	order, is := object.(*v1alpha1.ServiceOrder)
	if fleet.KindOf(object).Immutable() || is && order.Status.Frozen {
		return ""
	}
	return "kubectl edit -n " + detail.Namespace + " " + detail.Short()
}

func retryCommand(object fleet.Object, detail *Detail) string {
	if RetryOf(object) == nil {
		return ""
	}
	return detail.Command("retry")
}

// lookCommand returns the command that makes the operator try again; "" if none does.
func lookCommand(object fleet.Object, detail *Detail) string {
	if fleet.KindOf(object).ReadsOnRequest() {
		return "kubectl annotate --overwrite -n " + detail.Namespace + " " + detail.Short() + " " +
			v1alpha1.AnnotationReconcile + "=\"$(date -u +%FT%TZ)\""
	}
	return retryCommand(object, detail)
}

// RetryOf returns the failed attempt of an object that a retry annotation would make again;
// nil if there is none. This is the newest failure of the present manifest, or a result that
// differs from the request, whatever the manifest. An order that was accepted, or that a
// person has abandoned, is never sent again.
func RetryOf(object fleet.Object) *v1alpha1.Request {
	var newest *v1alpha1.Request
	requests := RequestsOf(object)
	for i := range requests {
		request := &requests[i]
		differs := decide.ResultDiffers(request)
		current := decide.EndedInFailure(request) && (differs || request.Generation == object.GetGeneration())
		final := request.Operation == v1alpha1.OperationOrderCreate &&
			(differs || request.Phase == v1alpha1.PhaseAbandoned)
		if current && !final && (newest == nil || newest.FinishedAt.Before(&request.FinishedAt)) {
			newest = request
		}
	}
	return newest
}
