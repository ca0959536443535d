// SPDX-License-Identifier: Apache-2.0

package show

import (
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Checks lays out the checks of an installation.
func Checks(checks []judge.Check) Section {
	rows := table.New("ABOUT", "CHECK", "RESULT", "DETAIL")
	for _, check := range checks {
		rows.Add(check.About, check.What, string(check.Result), check.Detail)
		rows.Paint("RESULT", colorOfCheck(check.Result))
	}
	return Section{Table: rows}
}

func colorOfCheck(result judge.CheckResult) table.Color {
	switch result {
	case judge.CheckOK:
		return table.Green
	case judge.CheckFailed:
		return table.Red
	case judge.CheckWarning:
		return table.Yellow
	case judge.CheckSkipped:
	}
	return table.Faint
}

// Matches lays out the objects that were found.
func Matches(text string, matches []*judge.Match) Section {
	if len(matches) == 0 {
		return Section{Lines: []string{"Nothing has \"" + text + "\"; -A searches all namespaces."}}
	}
	rows := table.New("NAMESPACE", "OBJECT", "MATCHES", "VALUE", "READY", "REASON")
	for _, match := range matches {
		rows.Add(match.Namespace, match.Short(), match.Field, match.Value, match.Ready, match.Reason)
	}
	return Section{Table: rows}
}

// Tests lays out the diagnostic tests of a service.
func Tests(tests []*v1alpha1.DiagnosticTest, now time.Time) Section {
	if len(tests) == 0 {
		return Section{Lines: []string{"No test of this service was run. Name a type to run one, such as port-reset."}}
	}
	rows := table.New("TEST", "TYPE", "READY", "REASON", "STAGE", "CREATED")
	for _, test := range tests {
		stage := ""
		if len(test.Status.Stages) > 0 {
			stage = test.Status.Stages[0].Name
		}
		ready := judge.Ready(test)
		rows.Add(test.Name, test.Spec.TestType, string(ready.Status), ready.Reason, stage, ago(now, test.CreationTimestamp))
	}
	return Section{Table: rows}
}
