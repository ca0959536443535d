// SPDX-License-Identifier: Apache-2.0

package show

import (
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Question lays out what to ask the carrier about a request.
func Question(choice *judge.Choice, ledger *v1alpha1.RequestLedger) Section {
	rows := table.New("ASK THE CARRIER ABOUT "+choice.Short(), "")
	for _, fact := range judge.Question(choice, ledger) {
		rows.Add(fact.Name, fact.Value)
	}
	return Section{Table: rows}
}

// Resolutions lays out the outcomes that each request can have. Requests with the same outcomes share
// a table, with the command for the first of them.
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
