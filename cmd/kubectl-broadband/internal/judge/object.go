// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Reference names an object.
type Reference struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// ReferenceTo returns the reference to an object.
func ReferenceTo(object fleet.Object) Reference {
	return Reference{Kind: fleet.KindOf(object).Name, Namespace: object.GetNamespace(), Name: object.GetName()}
}

// Short is what a person types: bbs/site-014.
func (r Reference) Short() string {
	kind, err := fleet.KindNamed(r.Kind)
	if err != nil {
		return r.Name
	}
	return kind.Short + "/" + r.Name
}

// Command returns a command of the plugin about this object, to paste.
func (r Reference) Command(verb string, arguments ...string) string {
	words := append([]string{"kubectl broadband " + verb, "-n " + r.Namespace, r.Short()}, arguments...)
	return strings.Join(words, " ")
}

// Before orders references by namespace, kind and name.
func (r Reference) Before(other Reference) int {
	return strings.Compare(r.Namespace+"\x00"+r.Short(), other.Namespace+"\x00"+other.Short())
}

// NotObserved is the reason of an object whose present generation the operator has not seen yet.
const NotObserved = "NotObserved"

// Observed reports whether the status describes the present manifest.
func Observed(object fleet.Object) bool {
	_, observed := object.Describes()
	return *observed == object.GetGeneration()
}

// Condition returns a condition of an object; nil if it has none of this type.
func Condition(object fleet.Object, conditionType string) *metav1.Condition {
	conditions, _ := object.Describes()
	return meta.FindStatusCondition(*conditions, conditionType)
}

// Stalled returns the condition Stalled if it is True for the present manifest; nil otherwise.
func Stalled(object fleet.Object) *metav1.Condition {
	stalled := Condition(object, v1alpha1.ConditionStalled)
	if stalled == nil || stalled.Status != metav1.ConditionTrue || !Observed(object) {
		return nil
	}
	return stalled
}

// Ready returns the condition Ready, with [NotObserved] if it is not of the present manifest.
func Ready(object fleet.Object) metav1.Condition {
	ready := Condition(object, v1alpha1.ConditionReady)
	if ready == nil || !Observed(object) {
		return metav1.Condition{
			Type: v1alpha1.ConditionReady, Status: metav1.ConditionUnknown, Reason: NotObserved,
			Message:            "the operator has not seen this version of the object yet",
			LastTransitionTime: object.GetCreationTimestamp(),
		}
	}
	return *ready
}

// PendingOf returns the plan of changes of an object; nil if there is none.
func PendingOf(object fleet.Object) *v1alpha1.Pending {
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		return object.Status.Pending
	case *v1alpha1.ServiceOrder:
		return object.Status.Pending
	case *v1alpha1.DiagnosticTest:
		return object.Status.Pending
	}
	return nil
}

// RequestsOf returns the requests that the status of an object shows.
func RequestsOf(object fleet.Object) []v1alpha1.Request {
	subject, is := object.(decide.Subject)
	if !is {
		return nil
	}
	switch record := subject.Record().(type) {
	case *v1alpha1.BroadbandService:
		return record.Status.Requests
	case interface{ Newest() *v1alpha1.Request }:
		if newest := record.Newest(); newest != nil {
			return []v1alpha1.Request{*newest}
		}
	}
	return nil
}

// LedgerOf returns the ledger that the status of an object names; nil if there is none.
func LedgerOf(object fleet.Object) *v1alpha1.LedgerReference {
	switch object := object.(type) {
	case *v1alpha1.BroadbandService:
		return object.Status.Ledger
	case *v1alpha1.ServiceOrder:
		return object.Status.Ledger
	case *v1alpha1.DiagnosticTest:
		return object.Status.Ledger
	}
	return nil
}

// AccountOf returns the name of the account of an object; "" for an account itself.
func AccountOf(object fleet.Object) string {
	if subject, is := object.(decide.Subject); is {
		return subject.AccountName()
	}
	return ""
}

func accountOf(object fleet.Object) Reference {
	return Reference{Kind: "CarrierAccount", Namespace: object.GetNamespace(), Name: AccountOf(object)}
}

// Age returns how long ago a time was, as kubectl writes it; "" for a time that is not set.
func Age(now time.Time, at metav1.Time) string {
	if at.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(0, now.Sub(at.Time))) // the clocks of two machines differ
}

// Time writes a time as RFC 3339 in UTC; "" for a time that is not set.
func Time(at metav1.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// FirstOf lists the first of several names, and counts the others.
func FirstOf(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

// DescribeTarget says in one line what a request asks for; "" if the operation alone says it.
func DescribeTarget(target v1alpha1.RequestTarget) string {
	var words []string
	add := func(name, value string) {
		if value != "" {
			words = append(words, strings.TrimSpace(name+" "+strconv.Quote(value)))
		}
	}
	add("plan", target.Plan)
	if target.Term != 0 {
		words = append(words, "term "+strconv.Itoa(int(target.Term)))
	}
	add("restoration SLA", target.RestorationSLA)
	add("NTD option", target.NTDOption)
	add("", target.AggregationMethod)
	add("", target.DSLStabilityProfile)
	add("qualification order", target.RemoteOrderID)
	add("date", target.Date)
	return strings.Join(words, ", ")
}
