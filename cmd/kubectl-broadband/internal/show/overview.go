// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Overview lays out what needs a person, and the counts by reason.
func Overview(overview *judge.Overview, now time.Time) []Section {
	var sections []Section
	if !overview.Wave.IsEmpty() {
		sections = append(sections, waveSection(overview.Wave, now))
	}
	for _, action := range judge.Actions() {
		if needs := needsOf(overview, action); len(needs) > 0 {
			sections = append(sections, actionSection(overview, action, needs, now))
		}
	}
	if len(overview.Waiting) > 0 {
		sections = append(sections, waitingSection(overview.Waiting, now))
	}
	if overview.IsClear() {
		sections = append(sections, clearSection(overview))
	}
	if held := declaredSection(overview); held.Table != nil {
		sections = append(sections, held)
	}
	if len(overview.Counts) > 0 {
		sections = append(sections, countSection(overview))
	}
	return sections
}

// waveSection shows the progress of the changes that a watch has seen, and when they may end.
func waveSection(wave *judge.Wave, now time.Time) Section {
	title := fmt.Sprintf("SINCE %s: %s", wave.Since.Format(time.TimeOnly), wave.Tally.String())
	if left, known := wave.Left(now); known {
		title += ", at this pace until " + now.Add(left).Format(time.TimeOnly)
	}
	return Section{Title: title}
}

func clearSection(overview *judge.Overview) Section {
	if overview.Objects == 0 {
		return Section{Title: "There are no objects."}
	}
	return Section{Title: "Nothing needs you.", Color: table.Green}
}

// declaredSection lays out what is not changed because of its manifest, and what comes next.
func declaredSection(overview *judge.Overview) (section Section) {
	rows := table.New("REASON", "OBJECTS", "NEXT")
	objects := 0
	for _, count := range overview.Counts {
		if next := judge.NextOfDeclared(count.Reason); next != "" && count.Ready != "True" {
			rows.Add(count.Reason, strconv.Itoa(count.Count), next)
			objects += count.Count
		}
	}
	if objects > 0 {
		section = Section{Title: fmt.Sprintf("NOT CHANGED: their manifests say so (%d)", objects), Table: rows}
	}
	return section
}

// waitingSection lays out the objects that wait, but not for a person or a request.
func waitingSection(all []judge.Waiting, now time.Time) Section {
	rows, count := table.New("REASON", "OBJECTS", "OLDEST", "WHY", "FOR"), 0
	rows.CutColumn("WHY")
	commands := make([]string, 0, len(all))
	for _, one := range all {
		count += one.Count
		rows.Add(one.Reason, strconv.Itoa(one.Count), one.Oldest.Short(), one.Message, judge.Age(now, one.Since))
		rows.Paint("REASON", table.Yellow)
		if command := "  " + one.Command; !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return Section{
		Title: fmt.Sprintf("WAITING: these continue once the reason has ended (%d)", count), Color: table.Yellow,
		Table: rows, After: commands,
	}
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
		rows.Add(names.shown(need.Reference), need.Short(), reason, need.What, judge.Age(now, need.Since))
		rows.Paint("REASON", colorOf(action))
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

// groupCommand approves all objects of a group, or continues with the first one.
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
		rows.Add(count.Kind, count.Ready, count.Reason, strconv.Itoa(count.Count))
		rows.Paint("READY", color)
	}
	return Section{Title: judge.Counted(overview.Objects, "object"), Table: rows}
}
