// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"fmt"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Choice is a decision about one object: the annotation that records it, and what it is about.
type Choice struct {
	Reference

	Value   string            `json:"value"` // of the annotation: the hash or the attempt that was shown
	What    string            `json:"what"`
	Changes []v1alpha1.Change `json:"changes,omitempty"`
	Outcome string            `json:"outcome"` // what became of it
	Done    bool              `json:"done"`

	Object  fleet.Object     `json:"-"` // the version that was shown
	Request v1alpha1.Request `json:"-"` // the request to resolve
}

// Chooser makes the choice about an object. If no choice is possible, why says what prevents it.
type Chooser func(object fleet.Object) (choice *Choice, why string)

// ToApprove chooses the plan of changes that waits for an approval.
func ToApprove(object fleet.Object) (choice *Choice, why string) {
	all := func(changes []v1alpha1.Change) []v1alpha1.Change { return changes }
	return planChoice(object, v1alpha1.AnnotationApprove, all)
}

// ToTrust chooses the unknown values of a plan of changes.
func ToTrust(object fleet.Object) (choice *Choice, why string) {
	return planChoice(object, v1alpha1.AnnotationTrust, func(changes []v1alpha1.Change) []v1alpha1.Change {
		var unknown []v1alpha1.Change
		for _, change := range changes {
			if change.Unknown {
				unknown = append(unknown, change)
			}
		}
		return unknown
	})
}

func planChoice(
	object fleet.Object, annotation string, about func([]v1alpha1.Change) []v1alpha1.Change,
) (choice *Choice, why string) {
	pending := PendingOf(object)
	if pending == nil || !waitsForApproval(object) {
		return nil, fmt.Sprintf("nothing waits for an approval (%s)", Ready(object).Reason)
	}
	changes := about(pending.Changes)
	if len(changes) == 0 {
		return nil, "its plan of changes has no unknown value"
	}
	choice = &Choice{
		Reference: ReferenceTo(object), Value: pending.Hash, What: decide.DescribeChanges(decide.Unpriced(changes)),
		Changes: changes, Object: object,
	}
	if given := object.GetAnnotations()[annotation]; given == pending.Hash {
		choice.Outcome, choice.Done = alreadySet(object, annotation), true
	}
	return choice, ""
}

func waitsForApproval(object fleet.Object) bool {
	if !Observed(object) {
		return false
	}
	required := Condition(object, v1alpha1.ConditionApprovalRequired)
	return required != nil && required.Status == "True" || Ready(object).Reason == v1alpha1.ReasonAwaitingApproval
}

func alreadySet(object fleet.Object, annotation string) string {
	return "already done by " + fleet.SetBy(object, annotation)
}

// ToRetry returns a Chooser that chooses the failed attempt to make again.
func ToRetry(now time.Time) Chooser {
	return func(object fleet.Object) (choice *Choice, why string) {
		failed := RetryOf(object)
		if failed == nil || !Observed(object) {
			return nil, fmt.Sprintf("no failed request of the present manifest waits for a retry (%s)", Ready(object).Reason)
		}
		choice = &Choice{
			Reference: ReferenceTo(object), Value: failed.AttemptID, What: describeFailure(failed), Changes: failed.Changes(),
			Object: object,
		}
		if failed.Retry == failed.AttemptID { // the annotation named the id before the attempt ended
			choice.Value = now.UTC().Format(time.RFC3339)
		}
		if object.GetAnnotations()[v1alpha1.AnnotationRetry] == choice.Value {
			choice.Outcome, choice.Done = alreadySet(object, v1alpha1.AnnotationRetry), true
		}
		return choice, ""
	}
}

func describeFailure(failed *v1alpha1.Request) string {
	text := DescribeRequest(*failed) + ": " + string(failed.Phase)
	if failed.Error != nil && failed.Error.Code != "" {
		return text + " " + failed.Error.Code
	}
	if failed.Error != nil && failed.Error.Message != "" {
		return text + ": " + failed.Error.Message
	}
	return text
}

// SumsOf adds up the prices of the choices that are still to be made.
func SumsOf(choices []*Choice) *Sums {
	sums := &Sums{}
	for _, choice := range choices {
		if !choice.Done {
			sums.Add(choice.Changes)
		}
	}
	return sums
}

// Limits are what one decision may cost at most. A negative number is no limit.
type Limits struct {
	OneTime int64 // the fees in hundredths of each currency; a credit does not offset them
	Monthly int64 // by how much the monthly fees may rise
	Changes int   // requests
}

// Exceeded returns why sums exceed the limits, as an unknown price always does; "" if they do not.
func (l Limits) Exceeded(sums *Sums) string {
	limited := l.OneTime >= 0 || l.Monthly >= 0
	switch {
	case l.Changes >= 0 && sums.Requests > l.Changes:
		return fmt.Sprintf("%s would be sent, and --max-changes is %d", Counted(sums.Requests, "request"), l.Changes)
	case limited && sums.Unknown > 0:
		return fmt.Sprintf("%s unknown, so the limits cannot be checked: leave out those objects, or the limits",
			areOf(sums.Unknown, "price"))
	}
	for _, sum := range sums.ByCurrency {
		if why := l.exceededBy(sum); why != "" {
			return why
		}
	}
	return ""
}

func (l Limits) exceededBy(sum decide.Price) string {
	switch {
	case l.OneTime >= 0 && sum.Charged > l.OneTime:
		return fmt.Sprintf("the one-time fees are %s, and --max-one-time is %s",
			Money(sum.Charged, sum.Currency), Money(l.OneTime, sum.Currency))
	case l.Monthly >= 0 && sum.Rise() > l.Monthly:
		return fmt.Sprintf("the monthly fees rise by %s, and --max-monthly is %s",
			Money(sum.Rise(), sum.Currency), Money(l.Monthly, sum.Currency))
	}
	return ""
}

func areOf(number int, thing string) string {
	if number == 1 {
		return "1 " + thing + " is"
	}
	return Counted(number, thing) + " are"
}
