// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// shownHash is how many characters of a hash are shown, enough to compare it with another output.
const shownHash = 9

// Choices lays out what a person is asked to decide, with the sums.
func Choices(choices []*judge.Choice, sums *judge.Sums) Section {
	rows := table.New("NAMESPACE", "OBJECT", "WHAT", "ONE-TIME", "MONTHLY", "HASH")
	names := make(namespaces)
	for _, choice := range choices {
		names.add(choice.Reference)
	}
	for _, choice := range choices {
		oneTime, monthly := prices(choice.Changes)
		rows.Add(names.shown(choice.Reference), choice.Short(), choice.What, oneTime, monthly, shortHash(choice.Value))
	}
	switch {
	case len(choices) == 0:
		return Section{}
	case sums.Requests == 0:
		return Section{Table: rows}
	}
	return Section{Table: rows, After: []string{fmt.Sprintf("%s, %s: %s", judge.Counted(len(choices), "object"),
		judge.Counted(sums.Requests, "request"), sums)}}
}

// shortHash is the beginning of a hash; "" for the id of an attempt.
func shortHash(value string) string {
	if !strings.HasPrefix(value, "p") {
		return ""
	}
	return value[:min(shownHash, len(value))]
}

// prices is what the changes of one object cost, as far as it is known.
func prices(changes []v1alpha1.Change) (oneTime, monthly string) {
	var sums judge.Sums
	sums.Add(changes)
	switch {
	case sums.Unknown > 0 && len(sums.ByCurrency) == 0:
		return unknown, unknown
	case len(sums.ByCurrency) == 0:
		return "", ""
	}
	sum, more := sums.ByCurrency[0], ""
	if sums.Unknown > 0 {
		more = plusUnknown
	}
	oneTime = judge.Money(sum.OneTime, sum.Currency) + more
	monthly = judge.Money(sum.Before, sum.Currency) + " → " + judge.Money(sum.After, sum.Currency) + more
	return oneTime, monthly
}

// Outcomes lays out what became of each choice.
func Outcomes(choices []*judge.Choice, past string) Section {
	rows, done := table.New("OBJECT", "OUTCOME"), 0
	for _, choice := range choices {
		color := table.Red
		if choice.Done {
			color = table.Green
		}
		if choice.Outcome == past {
			done++
			continue
		}
		rows.Add(choice.Short(), choice.Outcome)
		rows.Paint("OUTCOME", color)
	}
	section := Section{After: []string{fmt.Sprintf("%s %s", judge.Counted(done, "object"), past)}}
	if len(rows.Rows) > 0 {
		section.Table = rows
	}
	return section
}

// Question lays out what to ask the carrier about a request.
func Question(choice *judge.Choice, ledger *v1alpha1.RequestLedger) Section {
	rows := table.New("ASK THE CARRIER ABOUT "+choice.Short(), "")
	for _, fact := range judge.Question(choice, ledger) {
		rows.Add(fact.Name, fact.Value)
	}
	return Section{Table: rows}
}

// Resolutions has a table for the requests that can have the same outcomes.
func Resolutions(choices []*judge.Choice, verb string) []Section {
	var groups [][]*judge.Choice
	for _, choice := range choices {
		same := func(group []*judge.Choice) bool {
			return slices.Equal(judge.OutcomesOf(group[0]), judge.OutcomesOf(choice))
		}
		if at := slices.IndexFunc(groups, same); at >= 0 {
			groups[at] = append(groups[at], choice)
			continue
		}
		groups = append(groups, []*judge.Choice{choice})
	}
	sections := make([]Section, 0, len(groups))
	for _, group := range groups {
		section := outcomesSection(group[0], verb)
		if len(groups) > 1 {
			section.Title = shortNames(group)
		}
		sections = append(sections, section)
	}
	return sections
}

func outcomesSection(choice *judge.Choice, verb string) Section {
	rows := table.New("IF THE CARRIER SAYS", "RESOLVE WITH", "AND THEN")
	for _, outcome := range judge.OutcomesOf(choice) {
		rows.Add(outcome.Says, "--outcome "+outcome.Stated, outcome.Then)
	}
	return Section{Table: rows, After: []string{"  " + choice.Command(verb, "--outcome ...")}}
}

func shortNames(choices []*judge.Choice) string {
	names := make([]string, 0, len(choices))
	for _, choice := range choices {
		names = append(names, choice.Short())
	}
	return strings.Join(names, ", ")
}
