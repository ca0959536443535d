// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strconv"
	"time"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Overview lays out what needs a person, and the counts by reason.
func Overview(overview *judge.Overview, now time.Time) []Section {
	var sections []Section
	for _, action := range judge.Actions() {
		if needs := needsOf(overview, action); len(needs) > 0 {
			sections = append(sections, actionSection(overview, action, needs, now))
		}
	}
	if len(sections) == 0 {
		sections = append(sections, Section{Title: "Nothing needs you.", Color: table.Green})
	}
	if len(overview.Counts) > 0 {
		sections = append(sections, countSection(overview))
	}
	return sections
}

func needsOf(overview *judge.Overview, action judge.Action) []judge.Need {
	var needs []judge.Need
	for _, need := range overview.Needs {
		if need.Action == action {
			needs = append(needs, need)
		}
	}
	return needs
}

func actionSection(overview *judge.Overview, action judge.Action, needs []judge.Need, now time.Time) Section {
	names := make(namespaces)
	rows := table.New("NAMESPACE", "OBJECT", "REASON", "WHAT", "FOR")
	if action != judge.Approve {
		rows.CutColumn("WHAT")
	}
	for _, need := range needs {
		names.add(need.Reference)
	}
	for _, need := range needs {
		reason := need.Reason
		if action == judge.Approve {
			reason = ""
		}
		rows.AddCells(table.Cell{Text: names.shown(need.Reference)}, table.Cell{Text: need.Short()},
			table.Cell{Text: reason, Color: colorOf(action)}, table.Cell{Text: need.What},
			table.Cell{Text: judge.Age(now, need.Since)})
	}
	section := Section{
		Title: fmt.Sprintf("%s (%d)", action.Heading(), len(needs)), Color: colorOf(action), Table: rows,
		After: []string{"  " + groupCommand(action, needs, names)},
	}
	if action == judge.Approve {
		section.After = append([]string{"  " + overview.ToSpend.String()}, section.After...)
	}
	return section
}

// groupCommand is the command that continues with a group. For several objects to approve, it
// approves all of them; otherwise, it is about the first object only.
func groupCommand(action judge.Action, needs []judge.Need, names namespaces) string {
	switch {
	case len(needs) == 1, action != judge.Approve:
		return needs[0].Command
	case len(names) > 1:
		return "kubectl broadband approve --all -A"
	}
	return "kubectl broadband approve --all -n " + needs[0].Namespace
}

func colorOf(action judge.Action) table.Color {
	if action == judge.Approve {
		return table.Yellow
	}
	return table.Red
}

func countSection(overview *judge.Overview) Section {
	rows := table.New("KIND", "READY", "REASON", "COUNT")
	for _, count := range overview.Counts {
		color := table.Plain
		if count.Ready == "True" {
			color = table.Green
		}
		rows.AddCells(table.Cell{Text: count.Kind}, table.Cell{Text: count.Ready, Color: color},
			table.Cell{Text: count.Reason}, table.Cell{Text: strconv.Itoa(count.Count)})
	}
	return Section{Title: judge.Counted(overview.Objects, "object"), Table: rows}
}
