// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Differences is the table of the differences that an import has found.
func Differences(differences []imports.Difference) *table.Table {
	rows := table.New("NAME", "SERVICE", "DIFFERENCE", "FIELD", "DECLARED", "CARRIER", "DETAIL")
	for _, one := range differences {
		rows.Add(one.Name, one.ServiceID, string(one.Kind), one.Field, one.Declared, one.Carrier, one.Detail)
		rows.Paint("DIFFERENCE", table.Yellow)
	}
	return rows
}

// Quoted returns the differences with values as a table can show them: if only space or characters
// that cannot be seen distinguish two values, both are quoted, and each space is shown as ␣.
func Quoted(differences []imports.Difference) []imports.Difference {
	shown := slices.Clone(differences)
	for i, one := range shown {
		if visible(one.Declared) == visible(one.Carrier) && (isHidden(one.Declared) || isHidden(one.Carrier)) {
			shown[i].Declared, shown[i].Carrier = quoted(one.Declared), quoted(one.Carrier)
		}
	}
	return shown
}

func quoted(value string) string { return strings.ReplaceAll(strconv.Quote(value), " ", "␣") }

// isHidden reports whether a table does not show all of a value.
func isHidden(value string) bool { return visible(value) != strings.ToLower(value) }

// visible returns what a reader sees of a value, in one case.
func visible(value string) string {
	printable := func(char rune) rune {
		if unicode.IsSpace(char) {
			return ' '
		}
		if !unicode.IsPrint(char) {
			return -1
		}
		return unicode.ToLower(char)
	}
	return strings.Join(strings.Fields(strings.Map(printable, value)), " ")
}

// namesShown is how many services are named of those that are counted.
const namesShown = 3

// DifferenceSummary is a line for each difference that is not listed by service.
func DifferenceSummary(differences []imports.Difference) []string {
	names := make(map[imports.Difference][]string)
	var causes []imports.Difference
	for _, one := range differences {
		if !one.Kind.Summarized() {
			continue
		}
		cause := imports.Difference{Kind: one.Kind, Field: one.Field, Detail: one.Detail}
		if len(names[cause]) == 0 {
			causes = append(causes, cause)
		}
		names[cause] = append(names[cause], one.Name)
	}
	lines := make([]string, 0, len(causes))
	for _, cause := range causes {
		what := strings.TrimSpace(cause.Field + " " + string(cause.Kind))
		lines = append(lines, fmt.Sprintf("%s: %s: %s (%s)", judge.Counted(len(names[cause]), "service"), what, cause.Detail,
			judge.FirstOf(names[cause], namesShown)))
	}
	return lines
}

// Applying is the command that applies the folder of an import.
func Applying(folder string) string { return "kubectl apply --server-side -f " + folder }

// NextSteps says what comes next after a report of an import.
func NextSteps(differences []imports.Difference, folder string) []string {
	apply, report := Applying(folder), "kubectl broadband import --report --folder "+folder
	var steps []string
	for _, step := range []struct {
		text  string
		kinds []imports.DifferenceKind
	}{
		{"apply the folder: " + apply + ", then " + report, []imports.DifferenceKind{imports.NotApplied}},
		{"wait until the operator has read all services, then " + report, []imports.DifferenceKind{imports.NotRead}},
		{
			"correct the unknown numbers: delete the object, which contacts nobody, and change the manifest",
			[]imports.DifferenceKind{imports.UnknownNumber},
		},
		{
			"take the carrier's plans, terms and spelling: kubectl broadband import --accept --folder " + folder,
			[]imports.DifferenceKind{imports.OtherPlan, imports.OtherTerm, imports.Spelling},
		},
		{
			"remove the manifests of cancelled services, or declare what is to become of them",
			[]imports.DifferenceKind{imports.Cancelled},
		},
		{"find out what needs a look: kubectl broadband status", []imports.DifferenceKind{imports.Failing}},
		{
			"decide about the values that cannot be read: if your records are right, set unknownValues: Trust on the account",
			[]imports.DifferenceKind{imports.Unreadable},
		},
	} {
		is := func(one imports.Difference) bool { return slices.Contains(step.kinds, one.Kind) }
		if slices.ContainsFunc(differences, is) {
			steps = append(steps, "- "+step.text)
		}
	}
	if len(steps) == 0 {
		return []string{"Next: set managementPolicy: Manage in the manifests, and apply them: " + apply}
	}
	return append([]string{"Next:"}, steps...)
}

func kinds() []imports.DifferenceKind {
	return []imports.DifferenceKind{
		imports.NotApplied, imports.NotRead, imports.UnknownNumber, imports.OtherPlan, imports.OtherTerm, imports.Spelling,
		imports.Cancelled, imports.Unreadable, imports.Failing,
	}
}

// DifferenceTotal counts the differences by kind.
func DifferenceTotal(services int, differences []imports.Difference) string {
	var words []string
	for _, kind := range kinds() {
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
