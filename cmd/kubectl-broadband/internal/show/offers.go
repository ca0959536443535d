// SPDX-License-Identifier: Apache-2.0

package show

import (
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Offers lays out what the carrier offers for a service.
func Offers(offers *judge.Offers) []Section {
	plans := Section{Table: planOffers(offers)}
	if offers.Truncated {
		plans.After = []string{"There are more plans or SLAs than a PlanOptionsQuery has room for."}
	}
	if len(offers.SLAs) == 0 {
		return []Section{plans}
	}
	return []Section{plans, {Table: slaOffers(offers)}}
}

// planOffers has a row for each plan. Terms that cost the same share a row.
func planOffers(offers *judge.Offers) *table.Table {
	rows := table.New("PLAN", "TERM", "DOWN / UP", "ONE-TIME", "MONTHLY", "NFAS", "NTD OPTIONS", "")
	for _, plan := range offers.Plans {
		row := []string{
			plan.Name, plan.Term, speedOf(plan), fee(plan.OneTime), fee(plan.Monthly), commitment(plan), optionsOf(plan),
			presentIf(plan.Name, offers.Plan),
		}
		if last := len(rows.Rows) - 1; last >= 0 && differsInTerm(rows.Rows[last], row) {
			rows.Rows[last][termColumn].Text += ", " + plan.Term
			continue
		}
		rows.Add(row...)
	}
	return rows
}

const termColumn = 1

// differsInTerm reports whether a row differs from the one above it in nothing but the term.
func differsInTerm(above []table.Cell, row []string) bool {
	for i, text := range row {
		if i != termColumn && above[i].Text != text {
			return false
		}
	}
	return true
}

func speedOf(plan v1alpha1.PlanOption) string {
	if plan.SpeedDown == "" && plan.SpeedUp == "" {
		return ""
	}
	return plan.SpeedDown + " / " + plan.SpeedUp
}

// commitment is the NFAS commitment fee of a plan, which few plans have.
func commitment(plan v1alpha1.PlanOption) string {
	if plan.NFASOneTime == nil && plan.NFASMonthly == nil {
		return ""
	}
	return fee(plan.NFASOneTime) + " once, " + fee(plan.NFASMonthly) + " a month"
}

func slaOffers(offers *judge.Offers) *table.Table {
	rows := table.New("RESTORATION SLA", "ONE-TIME", "MONTHLY", "")
	for _, sla := range offers.SLAs {
		rows.Add(sla.Name, fee(sla.OneTime), fee(sla.Monthly), presentIf(sla.Name, offers.SLA))
	}
	return rows
}

func presentIf(offer, present string) string {
	if offer == present {
		return "present"
	}
	return ""
}

func fee(amount *v1alpha1.Money) string {
	if amount == nil {
		return unknown
	}
	return amount.String()
}

func optionsOf(plan v1alpha1.PlanOption) string {
	words := make([]string, 0, len(plan.NTDOptions))
	for _, option := range plan.NTDOptions {
		word := option.Option + ": " + fee(option.OneTime) + " once, " + fee(option.Monthly) + " a month"
		if option.Recommended {
			word += " (recommended)"
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}
