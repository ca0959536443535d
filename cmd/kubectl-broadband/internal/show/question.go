// SPDX-License-Identifier: Apache-2.0

package show

import (
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

// Resolutions lays out the outcomes that a resolution takes.
func Resolutions(command string) Section {
	rows := table.New("IF THE CARRIER SAYS", "RESOLVE WITH", "AND THEN")
	rows.Add("it accepted the request as number 998877", "--outcome Accepted=998877", "it is tracked from there")
	rows.Add("it never received the request", "--outcome NotAccepted", "it is sent again")
	rows.Add("it has completed the request", "--outcome Succeeded", "the requested values are recorded as the carrier's")
	rows.Add("anything else, and you no longer want it", "--outcome Abandoned", "it is not sent again automatically")
	return Section{Table: rows, After: []string{"  " + command}}
}
