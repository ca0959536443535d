// SPDX-License-Identifier: Apache-2.0

package show

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
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
	rows := table.New(cmp.Or(strings.ToUpper(report.By), "LABEL"), "ACCOUNT", "CARRIER", "CLIENT", "OPERATION", "PERSON",
		"SUCCEEDED", "FAILED", "ABANDONED", "ONE-TIME",
		"MONTHLY", "UNKNOWN PRICES")
	for _, group := range report.Groups {
		rows.Add(group.Label, group.Account, group.Login.BaseURL, group.Login.ClientName, string(group.Operation),
			group.Person, strconv.Itoa(group.Succeeded), strconv.Itoa(group.Failed), strconv.Itoa(group.Abandoned),
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
	rows := table.New("SENT", "ACCOUNT", "CARRIER", "CLIENT", "NAMESPACE", "OBJECT", "ABOUT", "OPERATION", "CHANGE",
		"OUTCOME", "CODE", "PERSON", "ONE-TIME", "MONTHLY", "CURRENCY", "LABEL")
	for _, entry := range report.Entries {
		oneTime, monthly, currency := unknown, unknown, ""
		if price := entry.Price; price != nil {
			oneTime, monthly, currency = judge.Money(price.OneTime, ""), judge.Money(price.Rise(), ""), price.Currency
		}
		rows.Add(judge.Time(entry.SentAt), entry.Account, entry.Login.BaseURL, entry.Login.ClientName, entry.Namespace,
			entry.Holder, entry.About, string(entry.Operation), entry.Change, string(entry.Outcome), entry.Code, entry.Person,
			oneTime, monthly, currency, entry.Label)
	}
	return rows
}

// requestTable is the table of every request of a report, for people. It merges columns of the
// CSV that describe one thing. The login and the carrier are in the sums.
func requestTable(report *judge.Report) *table.Table {
	rows := table.New("SENT", cmp.Or(strings.ToUpper(report.By), "LABEL"), "ACCOUNT", "OBJECT", "ABOUT", "OPERATION",
		"CHANGE", "OUTCOME", "PERSON", "ONE-TIME", "MONTHLY")
	for _, entry := range report.Entries {
		oneTime, monthly := costOf(entry)
		rows.Add(judge.Time(entry.SentAt), entry.Label, entry.Account, joined("/", entry.Namespace, entry.Holder),
			entry.About, string(entry.Operation), entry.Change, joined(": ", string(entry.Outcome), entry.Code),
			entry.Person, oneTime, monthly)
	}
	return rows
}

// costOf is the cost of a request: nothing if it failed, unknown if it was abandoned.
func costOf(entry judge.Entry) (oneTime, monthly string) {
	price := entry.Price
	switch {
	case entry.Outcome != v1alpha1.PhaseSucceeded && entry.Outcome != v1alpha1.PhaseAbandoned:
		return "", ""
	case entry.Outcome == v1alpha1.PhaseAbandoned || price == nil:
		return unknown, unknown
	}
	return judge.Money(price.OneTime, price.Currency), judge.Signed(price.Rise(), price.Currency)
}

func joined(by string, texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), by)
}

// ReportHTML is the report as a page with plots.
func ReportHTML(report *judge.Report) string {
	days := report.Days()
	body := groupTable(report).HTML() +
		plotOf("Requests by day (UTC)", "There is no request.", requestsBy(days)) +
		plotOf("One-time fees by day (UTC)"+currency(report), "There is no known one-time fee.", feesBy(days)) +
		"<h2>All requests</h2>\n" + requestTable(report).HTML()
	return table.Page(reportTitle(report), body)
}

func requestsBy(days []judge.Day) []table.Bar {
	bars := make([]table.Bar, 0, len(days))
	for _, day := range days {
		bars = append(bars, table.Bar{Date: day.Date, Value: int64(day.Requests), Text: strconv.Itoa(day.Requests)})
	}
	return bars
}

func feesBy(days []judge.Day) []table.Bar {
	bars := make([]table.Bar, 0, len(days))
	for _, day := range days {
		bar := table.Bar{Date: day.Date, Value: day.OneTime, Text: judge.Money(day.OneTime, "")}
		if day.Unknown > 0 {
			bar.Note = judge.Counted(day.Unknown, "price") + " unknown"
		}
		bars = append(bars, bar)
	}
	return bars
}

func currency(report *judge.Report) string {
	for _, group := range report.Groups {
		if group.Price.Currency != "" {
			return ", in " + group.Price.Currency
		}
	}
	return ""
}

// plotOf is a plot under its title, or a sentence instead if there is nothing to plot.
func plotOf(title, nothing string, bars []table.Bar) string {
	plot := table.Plot(title, bars)
	if plot == "" {
		plot = "<p>" + nothing + "</p>\n"
	}
	return "<h2>" + title + "</h2>\n" + plot
}
