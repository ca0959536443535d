// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Detail lays out everything about one object.
func Detail(detail *judge.Detail, now time.Time) []Section {
	sections := []Section{headSection(detail, now)}
	for _, section := range []Section{
		valueSection(detail, now), factSection(detail), progressSection(detail, now), planSection(detail),
		historySection(detail), healthSection(detail, now), disruptionSection(detail, now), accountSection(detail),
		eventSection(detail, now),
	} {
		if section.Table != nil && len(section.Table.Rows) > 0 {
			sections = append(sections, section)
		}
	}
	return append(sections, nextSection(detail))
}

func headSection(detail *judge.Detail, now time.Time) Section {
	title := detail.Kind + " " + detail.Namespace + "/" + detail.Name
	if detail.About != "" {
		title += " (" + detail.About + ")"
	}
	ready := detail.Ready
	line := "Ready=" + string(ready.Status) + " " + ready.Reason
	if age := judge.Age(now, ready.LastTransitionTime); age != "" {
		line += " for " + age
	}
	return Section{Title: title, Lines: []string{line, "  " + ready.Message}}
}

func valueSection(detail *judge.Detail, now time.Time) Section {
	rows := table.New("FIELD", "DECLARED", "CARRIER", "KNOWN BY", "SINCE", "")
	for _, value := range detail.Values {
		mark, color := "", table.Plain
		if value.Differs {
			mark, color = "differs", table.Yellow
		}
		rows.Add(value.Field, cmp.Or(value.Declared, "not managed"), cmp.Or(value.Carrier, unknown), KnownBy(value.Source),
			ago(now, value.Since), mark)
		rows.Paint("CARRIER", color)
		rows.Paint("", color)
	}
	return Section{Title: "Declared and known", Table: rows}
}

// The texts for an unknown value or price, and for the unknown part of a price.
const (
	unknown     = "unknown"
	plusUnknown = " + " + unknown
)

// KnownBy says how a value is known.
func KnownBy(source v1alpha1.ValueSource) string {
	switch source {
	case v1alpha1.SourceHealth:
		return "health"
	case v1alpha1.SourceService:
		return "the service"
	case v1alpha1.SourceChangeResult:
		return "a change"
	case v1alpha1.SourceOrder:
		return "the order"
	case v1alpha1.SourceDeclared:
		return "trusted"
	case "":
		return ""
	}
	return "a read"
}

func ago(now time.Time, at metav1.Time) string {
	if at.IsZero() {
		return ""
	}
	return judge.Age(now, at) + " ago"
}

func factSection(detail *judge.Detail) Section {
	rows := table.New("AT THE CARRIER", "")
	for _, fact := range detail.Facts {
		rows.Add(fact.Name, fact.Value)
	}
	return Section{Table: rows}
}

func progressSection(detail *judge.Detail, now time.Time) Section {
	rows := table.New("REQUEST IN PROGRESS", "")
	for _, request := range detail.InProgress {
		color := table.Plain
		if request.Phase == v1alpha1.PhaseOutcomeUnknown || request.Phase == v1alpha1.PhaseLateAcceptance {
			color = table.Red
		}
		rows.Add(string(request.Operation), string(request.Phase))
		rows.Paint("", color)
		for _, line := range progressLines(request, now) {
			if line.Value != "" {
				rows.Add(line.Name, line.Value)
			}
		}
	}
	return Section{Table: rows}
}

func progressLines(request judge.Progress, now time.Time) []judge.Fact {
	next := ""
	if !request.NextPoll.IsZero() {
		next = "in " + judge.Age(request.NextPoll.Time, metav1.NewTime(now))
	}
	return []judge.Fact{
		{Name: "to", Value: request.What},
		{Name: "sent", Value: ago(now, request.SentAt)},
		{Name: "next poll", Value: next},
		{Name: "location", Value: request.Location},
		{Name: "attempt", Value: request.AttemptID},
		{Name: "problem", Value: request.Problem},
	}
}

func planSection(detail *judge.Detail) Section {
	if detail.Sums == nil {
		return Section{}
	}
	rows := table.New("OPERATION", "FIELD", "FROM", "TO", "ONE-TIME", "MONTHLY")
	for i, change := range detail.Changes {
		oneTime, monthly := Price(detail.Changes, i)
		rows.Add(string(change.Operation), change.Field, From(change), To(change), oneTime, monthly)
	}
	return Section{
		Title: "Plan of changes", Table: rows, After: []string{"hash " + detail.Hash, "sum: " + detail.Sums.String()},
	}
}

// From is the value before a change.
func From(change v1alpha1.Change) string {
	switch {
	case change.From == "" && change.Operation == v1alpha1.OperationOrderCreate,
		change.From == "" && change.Operation == v1alpha1.OperationDiagnosticTest:
		return ""
	case change.From == "":
		return unknown
	case change.Unknown:
		return change.From + " (perhaps the same)"
	}
	return change.From
}

// To is the value after a change, and the NTD that is bought with it.
func To(change v1alpha1.Change) string {
	switch {
	case change.NTDOption == nil:
		return change.To
	case change.NTDOption.Option == "":
		return change.To + " + additional NTD"
	}
	return change.To + " + NTD option " + change.NTDOption.Option
}

// Price is the one-time and the monthly price of one of several changes, as text.
func Price(changes []v1alpha1.Change, at int) (oneTime, monthly string) {
	if !slices.Contains(decide.PricedRows(changes), at) {
		return "", ""
	}
	change := changes[at]
	once, each := []*v1alpha1.Money{change.OneTime}, []*v1alpha1.Money{change.MonthlyAfter}
	for _, charge := range charges(change) {
		once, each = append(once, charge.OneTime), append(each, charge.Monthly)
	}
	oneTime, monthly = sumText(once...), sumText(each...)
	if monthly != unknown || change.MonthlyBefore != nil {
		monthly = sumText(change.MonthlyBefore) + " → " + monthly
	}
	return oneTime, monthly
}

func charges(change v1alpha1.Change) []v1alpha1.Charge {
	var bought []v1alpha1.Charge
	if change.NFAS != nil {
		bought = append(bought, *change.NFAS)
	}
	if change.NTDOption != nil {
		bought = append(bought, change.NTDOption.Charge)
	}
	return bought
}

// sumText is the sum of amounts as text; it is unknown if one of them is.
func sumText(amounts ...*v1alpha1.Money) string {
	var bill decide.Bill
	for _, amount := range amounts {
		bill.AddOneTime(amount)
	}
	price, known := bill.Price()
	if !known {
		return unknown
	}
	return judge.Money(price.OneTime, price.Currency)
}

func historySection(detail *judge.Detail) Section {
	rows := table.New("SENT", "OPERATION", "CHANGE", "OUTCOME", "CODE", "APPROVED BY", "RETRIED BY", "RESOLVED BY")
	for _, request := range detail.History {
		color := table.Red
		if request.Outcome == v1alpha1.PhaseSucceeded {
			color = table.Green
		}
		rows.Add(judge.Time(request.SubmittedAt), string(request.Operation), request.Change, string(request.Outcome),
			request.Code, request.ApprovedBy, request.RetriedBy, request.ResolvedBy)
		rows.Paint("OUTCOME", color)
	}
	return Section{Title: "History", Table: rows}
}

func healthSection(detail *judge.Detail, now time.Time) Section {
	health := detail.Health
	if health == nil {
		return Section{}
	}
	rows := table.New("HEALTH", "CONNECTIVITY", "PERFORMANCE", "STABILITY", "SINCE", "ALERT", "THE CARRIER RECOMMENDS")
	color := table.Yellow
	if health.Summary == "Green" {
		color = table.Green
	}
	rows.Add(health.Summary, health.Connectivity, health.Performance, health.Stability, ago(now, health.Since),
		health.Alert, health.NextAction)
	rows.Paint("HEALTH", color)
	return Section{Table: rows}
}

func disruptionSection(detail *judge.Detail, now time.Time) Section {
	seen := detail.Disruptions
	if seen == nil {
		return Section{}
	}
	rows := table.New("DISRUPTIONS", "ACTIVE", "SCHEDULED", "FROM", "UNTIL", "SEVERITY", "DESCRIPTION")
	rows.Add("counted "+ago(now, seen.Since), strconv.Itoa(int(seen.Active)), strconv.Itoa(int(seen.Scheduled)))
	for _, one := range []*v1alpha1.Disruption{seen.Current, seen.Next} {
		if one != nil {
			rows.Add(one.ID, "", "", judge.Time(one.StartAt), judge.Time(one.EndAt), one.Severity, one.Description)
		}
	}
	return Section{Table: rows}
}

func accountSection(detail *judge.Detail) Section {
	account := detail.Account
	if account == nil {
		return Section{}
	}
	rows := table.New("ACCOUNT", "CARRIER", "CLIENT", "LOGIN", "CARRIER IS", "LEDGER")
	login, color := account.Reason, table.Green
	if account.Missing {
		login = "this CarrierAccount does not exist"
	}
	if login != v1alpha1.ReasonTokenIssued {
		color = table.Red
	}
	rows.Add(account.Name, account.Carrier, account.Client, login, account.Answers, detail.Ledger)
	rows.Paint("LOGIN", color)
	return Section{Table: rows}
}

func eventSection(detail *judge.Detail, now time.Time) Section {
	rows := table.New("EVENT", "TYPE", "REASON", "MESSAGE")
	for _, event := range detail.Events {
		color := table.Plain
		if event.Type != "Normal" {
			color = table.Yellow
		}
		rows.Add(ago(now, event.At), event.Type, event.Reason, event.Message)
		rows.Paint("TYPE", color)
	}
	return Section{Table: rows}
}

func nextSection(detail *judge.Detail) Section {
	switch {
	case len(detail.Next) == 0 && len(detail.Needs) > 0:
		return Section{Title: "Next: the message says what to do"}
	case len(detail.Next) == 0:
		return Section{Title: "Next: nothing to do", Color: table.Green}
	}
	lines := make([]string, 0, len(detail.Next))
	for _, command := range detail.Next {
		lines = append(lines, "  "+command)
	}
	return Section{Title: "Next", Lines: lines}
}
