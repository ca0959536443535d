// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Around is what belongs to an object and is shown with it.
type Around struct {
	Account *v1alpha1.CarrierAccount // nil if it does not exist
	Events  []corev1.Event
	Now     time.Time
}

// Detail is everything about one object.
type Detail struct {
	Reference `json:"object"`

	About       string                     `json:"about,omitempty"` // what it is in the carrier's terms
	Ready       metav1.Condition           `json:"ready"`
	Values      []Value                    `json:"values,omitempty"`
	Facts       []Fact                     `json:"facts,omitempty"`
	InProgress  []Progress                 `json:"inProgress,omitempty"`
	Hash        string                     `json:"hash,omitempty"`
	Changes     []v1alpha1.Change          `json:"changes,omitempty"`
	Sums        *Sums                      `json:"sums,omitempty"`
	History     []v1alpha1.FinishedRequest `json:"history,omitempty"`
	Health      *v1alpha1.HealthStatus     `json:"health,omitempty"`
	Disruptions *v1alpha1.DisruptionStatus `json:"disruptions,omitempty"`
	Account     *AccountFacts              `json:"account,omitempty"`
	Ledger      string                     `json:"ledger,omitempty"`
	Events      []EventLine                `json:"events,omitempty"`
	Needs       []Need                     `json:"needs,omitempty"`
	Next        []string                   `json:"next"`
}

// Value is one declared value and what the operator knows about the carrier's value.
type Value struct {
	Field    string               `json:"field"`
	Declared string               `json:"declared,omitempty"` // "": not managed
	Carrier  string               `json:"carrier,omitempty"`  // "": unknown
	Source   v1alpha1.ValueSource `json:"source,omitempty"`
	Since    metav1.Time          `json:"since,omitzero"`
	Differs  bool                 `json:"differs,omitempty"`
}

// Fact is a named value, such as one that the carrier reports and nobody declares.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Progress is a request that has not ended.
type Progress struct {
	Operation v1alpha1.Operation    `json:"operation"`
	AttemptID string                `json:"attemptID"`
	Phase     v1alpha1.RequestPhase `json:"phase"`
	What      string                `json:"what"`
	SentAt    metav1.Time           `json:"sentAt,omitzero"`
	NextPoll  metav1.Time           `json:"NextPoll,omitzero"` // absent if it is not polled
	Location  string                `json:"location,omitempty"`
	Problem   string                `json:"problem,omitempty"` // what the carrier or the network reported
}

// AccountFacts is the account and the carrier behind an object.
type AccountFacts struct {
	Name    string `json:"name"`
	Missing bool   `json:"missing,omitempty"`
	Carrier string `json:"carrier,omitempty"`
	Client  string `json:"client,omitempty"`
	Reason  string `json:"reason,omitempty"`  // the reason of its condition Ready
	Answers string `json:"answers,omitempty"` // the reason of its condition Carrier
}

// EventLine is one Event.
type EventLine struct {
	At      metav1.Time `json:"at"`
	Type    string      `json:"type"`
	Reason  string      `json:"reason"`
	Message string      `json:"message"`
}

// DetailOf returns everything about an object.
func DetailOf(object fleet.Object, around Around) *Detail {
	detail := &Detail{
		Reference: ReferenceTo(object), About: v1alpha1.CarrierName(object), Ready: Ready(object),
		Account: accountFacts(object, around.Account), Events: eventLines(around.Events), Needs: NeedsOf(object),
		Facts: factsOf(object), InProgress: progressOf(object, around), History: historyOf(object),
	}
	if pending := PendingOf(object); pending != nil {
		detail.Hash, detail.Changes, detail.Sums = pending.Hash, pending.Changes, &Sums{}
		detail.Sums.Add(detail.Changes)
	}
	if service, is := object.(*v1alpha1.BroadbandService); is {
		detail.Values = valuesOf(service)
		detail.Health, detail.Disruptions = service.Status.Health, service.Status.Disruptions
	}
	detail.Ledger = ledgerName(LedgerOf(object))
	detail.Next = nextCommands(object, detail)
	return detail
}

func ledgerName(reference *v1alpha1.LedgerReference) string {
	if reference == nil {
		return ""
	}
	return reference.Name
}

func progressOf(object fleet.Object, around Around) []Progress {
	var open []Progress
	for _, request := range RequestsOf(object) {
		if request.Phase.Ended() {
			continue
		}
		one := Progress{
			Operation: request.Operation, AttemptID: request.AttemptID, Phase: request.Phase,
			What: DescribeTarget(request.Target), SentAt: request.SubmittedAt, Location: request.Location,
			Problem: decide.JoinTexts(request.CarrierStatus, request.ErrorDetail),
		}
		if request.Error != nil {
			one.Problem = cmp.Or(request.Error.Message, one.Problem)
		}
		if subject, is := object.(decide.Subject); is && request.Phase == v1alpha1.PhaseInProgress {
			input := decide.Input{Subject: subject, Account: accountIn(around.Account), Now: around.Now}
			one.NextPoll = metav1.NewTime(decide.NextPoll(&input, &request, input.Now))
		}
		open = append(open, one)
	}
	return open
}

func accountIn(account *v1alpha1.CarrierAccount) decide.Account {
	if account == nil {
		return decide.Account{}
	}
	return decide.Account{Object: account, Continues: account.Status.Continues}
}

// historyOf returns the finished requests, newest first.
func historyOf(object fleet.Object) []v1alpha1.FinishedRequest {
	if service, is := object.(*v1alpha1.BroadbandService); is {
		return service.Status.History
	}
	var history []v1alpha1.FinishedRequest
	for _, request := range RequestsOf(object) {
		if !request.Phase.Ended() {
			continue
		}
		one := v1alpha1.FinishedRequest{
			Operation: request.Operation, Change: decide.DescribeChanges(request.Changes()), Outcome: request.Phase,
			ApprovedBy: request.ApprovedBy, RetriedBy: request.RetriedBy, ResolvedBy: decide.ResolverOf(request.ResolvedBy),
			SubmittedAt: request.SubmittedAt, At: request.FinishedAt,
		}
		if request.Error != nil {
			one.Code = request.Error.Code
		}
		history = append(history, one)
	}
	return history
}

func accountFacts(object fleet.Object, account *v1alpha1.CarrierAccount) *AccountFacts {
	name := AccountOf(object)
	if name == "" {
		return nil
	}
	if account == nil {
		return &AccountFacts{Name: name, Missing: true}
	}
	facts := &AccountFacts{
		Name: name, Carrier: account.Spec.BaseURL, Client: account.Spec.Auth.ClientName, Reason: Ready(account).Reason,
	}
	if answers := Condition(account, v1alpha1.ConditionCarrier); answers != nil {
		facts.Answers = answers.Reason
	}
	return facts
}

// eventLines returns the newest Events, oldest first.
func eventLines(events []corev1.Event) []EventLine {
	const most = 10
	lines := make([]EventLine, 0, len(events))
	for _, event := range events {
		at := event.LastTimestamp
		if at.IsZero() {
			at = metav1.NewTime(event.EventTime.Time)
		}
		lines = append(lines, EventLine{At: at, Type: event.Type, Reason: event.Reason, Message: event.Message})
	}
	slices.SortStableFunc(lines, func(a, b EventLine) int { return a.At.Compare(b.At.Time) })
	return lines[max(0, len(lines)-most):]
}
