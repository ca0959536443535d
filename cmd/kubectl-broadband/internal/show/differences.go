// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Differences is the table of the differences that an import has found.
func Differences(differences []imports.Difference) *table.Table {
	rows := table.New("NAME", "SERVICE", "DIFFERENCE", "FIELD", "DECLARED", "CARRIER", "DETAIL")
	for _, one := range differences {
		rows.AddCells(table.Cell{Text: one.Name}, table.Cell{Text: one.ServiceID},
			table.Cell{Text: string(one.Kind), Color: table.Yellow}, table.Cell{Text: one.Field}, table.Cell{Text: one.Declared},
			table.Cell{Text: one.Carrier}, table.Cell{Text: one.Detail})
	}
	return rows
}

// DifferenceTotal counts the differences by kind.
func DifferenceTotal(services int, differences []imports.Difference) string {
	var words []string
	for _, kind := range []imports.DifferenceKind{
		imports.NotApplied, imports.NotRead, imports.UnknownNumber, imports.OtherPlan, imports.OtherTerm, imports.Spelling,
		imports.Cancelled, imports.Unreadable, imports.Failing,
	} {
		count := 0
		for _, one := range differences {
			if one.Kind == kind {
				count++
			}
		}
		if count > 0 {
			words = append(words, fmt.Sprintf("%d %s", count, kind))
		}
	}
	if len(words) == 0 {
		return judge.Counted(services, "service") + ": the carrier has what the manifests declare"
	}
	return judge.Counted(services, "service") + ": " + strings.Join(words, ", ")
}
