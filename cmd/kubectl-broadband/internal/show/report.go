// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Report lays out what was changed and spent.
func Report(report *judge.Report) []Section {
	return []Section{{Title: reportTitle(report), Table: groupTable(report)}}
}

func reportTitle(report *judge.Report) string {
	return fmt.Sprintf("%s from %s to %s", judge.Counted(len(report.Entries), "request"),
		report.Since.UTC().Format(time.DateOnly), report.Until.UTC().Format(time.DateOnly))
}

func groupTable(report *judge.Report) *table.Table {
	rows := table.New("CARRIER", "CLIENT", "OPERATION", "PERSON", "SUCCEEDED", "FAILED", "ABANDONED", "ONE-TIME",
		"MONTHLY", "UNKNOWN PRICES")
	for _, group := range report.Groups {
		rows.Add(group.Login.BaseURL, group.Login.ClientName, string(group.Operation), group.Person,
			strconv.Itoa(group.Succeeded), strconv.Itoa(group.Failed), strconv.Itoa(group.Abandoned),
			ofPriced(group, judge.Money(group.Price.OneTime, group.Price.Currency)),
			ofPriced(group, judge.Signed(group.Price.Rise(), group.Price.Currency)), strconv.Itoa(group.Unknown))
	}
	return rows
}

// ofPriced marks a sum that lacks requests whose price is not known.
func ofPriced(group judge.Group, sum string) string {
	switch group.Unknown {
	case 0:
		return sum
	case group.Succeeded:
		return unknown
	}
	return sum + plusUnknown
}

// Entries is the table of every request of a report, for CSV.
func Entries(report *judge.Report) *table.Table {
	rows := table.New("SENT", "CARRIER", "CLIENT", "NAMESPACE", "OBJECT", "ABOUT", "OPERATION", "CHANGE", "OUTCOME",
		"CODE", "PERSON", "ONE-TIME", "MONTHLY", "CURRENCY")
	for _, entry := range report.Entries {
		oneTime, monthly, currency := unknown, unknown, ""
		if price := entry.Price; price != nil {
			oneTime, monthly, currency = judge.Money(price.OneTime, ""), judge.Money(price.Rise(), ""), price.Currency
		}
		rows.Add(judge.Time(entry.SentAt), entry.Login.BaseURL, entry.Login.ClientName, entry.Namespace, entry.Holder,
			entry.About, string(entry.Operation), entry.Change, string(entry.Outcome), entry.Code, entry.Person,
			oneTime, monthly, currency)
	}
	return rows
}

// ReportHTML is the report as a page with plots.
func ReportHTML(report *judge.Report) string {
	days := report.Days()
	requests := func(day judge.Day) (int64, string) { return int64(day.Requests), strconv.Itoa(day.Requests) }
	spent := func(day judge.Day) (int64, string) {
		text := judge.Money(day.OneTime, "")
		if day.Unknown > 0 {
			text += "; " + judge.Counted(day.Unknown, "price") + " unknown"
		}
		return day.OneTime, text
	}
	body := groupTable(report).HTML() +
		"<h2>Requests by day</h2>\n" + plot(days, requests) +
		"<h2>One-time fees by day</h2>\n" + plot(days, spent) +
		"<h2>All requests</h2>\n" + Entries(report).HTML()
	return table.Page(reportTitle(report), body)
}

// plot draws one bar for each day.
func plot(days []judge.Day, of func(judge.Day) (value int64, text string)) string {
	const height, bar = 120, 12
	most := int64(1)
	for _, day := range days {
		value, _ := of(day)
		most = max(most, value)
	}
	var page strings.Builder
	fmt.Fprintf(&page, "<svg width=\"%d\" height=\"%d\" role=\"img\">\n", len(days)*bar, height)
	for i, day := range days {
		value, text := of(day)
		tall := value * height / most
		fmt.Fprintf(&page, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#36c\"><title>%s: %s</title></rect>\n",
			i*bar, height-tall, bar-2, tall, day.Date.Format(time.DateOnly), text)
	}
	return page.String() + "</svg>\n"
}
