// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Plan lays out what would change and what it would cost.
func Plan(plan *judge.Plan, now time.Time) []Section {
	var sections []Section
	if rows := planTable(plan, agesAt(now, plan)); len(rows.Rows) > 0 {
		sections = append(sections, Section{Table: rows})
	}
	if notes := planNotes(plan); len(notes) > 0 {
		sections = append(sections, Section{Lines: notes})
	}
	color := table.Bold
	if !plan.Changed() {
		color = table.Green
	}
	return append(sections, Section{Title: planTotal(plan), Color: color})
}

// dated writes how old the prices of an object are.
type dated func(object *judge.ObjectPlan) string

// agesAt writes ages if the carrier was asked in this run. Ages of a status are upper limits.
func agesAt(now time.Time, plan *judge.Plan) dated {
	asked := slices.ContainsFunc(plan.Objects, func(object judge.ObjectPlan) bool {
		return object.PricesFrom == judge.PricesFromCarrier
	})
	return func(object *judge.ObjectPlan) string {
		switch {
		case !asked || object.PricesFrom == "":
			return ""
		case object.PricesFrom == judge.PricesFromCarrier:
			return ago(now, object.PricedAt)
		}
		return "within " + judge.Age(now, object.PricedAt)
	}
}

// timeOf writes times, which remain correct in a document that is read later.
func timeOf(object *judge.ObjectPlan) string {
	text := judge.Time(object.PricedAt)
	if object.PricesFrom == judge.PricesFromStatus {
		text = "since " + text
	}
	return text
}

func planTable(plan *judge.Plan, priced dated) *table.Table {
	rows := table.New("NAMESPACE", "OBJECT", "FIELD", "FROM", "KNOWN BY", "TO", "ONE-TIME", "MONTHLY", "PRICE READ", "")
	names := make(namespaces)
	for _, object := range plan.Objects {
		names.add(object.Reference)
	}
	for _, object := range plan.Objects {
		for i := range object.Changes {
			namespace, name := "", ""
			if i == 0 {
				namespace, name = names.shown(object.Reference), object.Short()
			}
			rows.Add(append([]string{namespace, name}, planCells(&object, i, priced)...)...)
			if !object.Changes[i].InProgress {
				rows.Paint("TO", table.Yellow)
			}
		}
	}
	return rows
}

func planCells(object *judge.ObjectPlan, at int, priced dated) []string {
	change := object.Changes[at]
	oneTime, monthly := Price(object.All(), at)
	note, read := "", ""
	if oneTime != "" {
		read = priced(object)
	}
	if change.InProgress {
		oneTime, monthly, read, note = "", "", "", "in progress"
	}
	return []string{
		change.Field, From(change.Change), KnownBy(change.KnownBy), To(change.Change), oneTime, monthly, read, note,
	}
}

func planNotes(plan *judge.Plan) []string {
	var lines []string
	for _, object := range plan.Objects {
		for _, note := range object.Notes {
			lines = append(lines, object.Short()+": "+note)
		}
	}
	return lines
}

func planTotal(plan *judge.Plan) string {
	changed := 0
	for _, object := range plan.Objects {
		if len(object.Sendable()) > 0 {
			changed++
		}
	}
	total := "Plan: nothing would change"
	if changed > 0 {
		total = fmt.Sprintf("Plan: %s, %s: %s", judge.Counted(changed, "object"),
			judge.Counted(plan.Sums.Requests, "request"), &plan.Sums)
	}
	if plan.NotKnown > 0 {
		total += fmt.Sprintf("; %s not read yet", judge.Counted(plan.NotKnown, "object"))
	}
	return total
}

// PlanMarkdown returns the plan for a comment on a pull request.
func PlanMarkdown(plan *judge.Plan) string {
	text := "**" + planTotal(plan) + "**\n"
	if rows := planTable(plan, timeOf); len(rows.Rows) > 0 {
		text += "\n" + rows.Markdown()
	}
	if notes := planNotes(plan); len(notes) > 0 {
		for i := range notes {
			notes[i] = table.MarkdownText(notes[i])
		}
		text += "\n- " + strings.Join(notes, "\n- ") + "\n"
	}
	return text
}

// PlanHTML returns the plan as a page.
func PlanHTML(plan *judge.Plan) string {
	body := "<p><strong>" + html.EscapeString(planTotal(plan)) + "</strong></p>\n"
	if rows := planTable(plan, timeOf); len(rows.Rows) > 0 {
		body += rows.HTML()
	}
	if notes := planNotes(plan); len(notes) > 0 {
		body += "<pre>" + html.EscapeString(strings.Join(notes, "\n")) + "</pre>\n"
	}
	return table.Page("Plan of changes", body)
}
