// SPDX-License-Identifier: Apache-2.0

package show

import (
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Checks lays out the checks of an installation.
func Checks(checks []judge.Check) Section {
	rows := table.New("ABOUT", "CHECK", "RESULT", "DETAIL")
	for _, check := range checks {
		rows.AddCells(table.Cell{Text: check.About}, table.Cell{Text: check.What},
			table.Cell{Text: string(check.Result), Color: colorOfCheck(check.Result)}, table.Cell{Text: check.Detail})
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
