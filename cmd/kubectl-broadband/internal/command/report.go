// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

type reporter struct {
	*tool

	output   *outputFlag
	since    string
	selector string
	by       string
}

func (t *tool) reportCommand() *cobra.Command {
	r := &reporter{tool: t}
	command := &cobra.Command{
		Use:   "report",
		Short: "Report what was changed and spent, by account, operation and person, or by a label",
		Long: "Adds up the requests that reached the carrier and have ended, from the RequestLedgers: a ledger keeps\n" +
			"the last ten of each service. Reading RequestLedgers needs a ClusterRoleBinding of broadband-operator-viewer. A\n" +
			"price is the one that was shown before the request was sent; what an abandoned request costs is not known.\n" +
			"A diagnostic test that has been deleted belongs to no namespace: it is only in a report with -A.\n\n" +
			"--by adds up by the value of a label, such as a customer, site or team, and -l reports only objects with\n" +
			"some labels. Labels and accounts are those that the objects have now: a deleted object is (deleted) with\n" +
			"--by, and not in a report with -l.",
		Example: examples("kubectl broadband report --since 30d", "kubectl broadband report -A --since 2026-01-01 -o csv",
			"kubectl broadband report -o html", "kubectl broadband report --by customer",
			"kubectl broadband report -l team=north --by site"),
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return r.run(command.Context()) },
	}
	r.output = addOutput(command, outputCSV, outputHTML)
	t.addEverywhere(command)
	command.Flags().StringVarP(&r.selector, "selector", "l", "", "only objects with these labels")
	command.Flags().StringVar(&r.by, "by", "", "add up by the value of this `label`")
	command.Flags().StringVar(&r.since, "since", "30d", "from when: days or hours ago (30d, 12h), or a date")
	return command
}

func (r *reporter) run(ctx context.Context) error {
	since, err := beginning(r.since, r.Now())
	if err != nil {
		return err
	}
	selector, err := parseSelector(r.selector)
	if err != nil {
		return err
	}
	cluster, err := r.cluster()
	if err != nil {
		return err
	}
	report := &judge.Report{
		Since: metav1.NewTime(since), Until: metav1.NewTime(r.Now()), Entries: []judge.Entry{}, By: r.by,
		Namespace: cluster.Namespace, Selector: selector, Objects: judge.Objects{},
	}
	if err := r.take(ctx, cluster, report); err != nil {
		return err
	}
	report.Finish()
	return r.show(report)
}

func (*reporter) take(ctx context.Context, cluster *fleet.Cluster, report *judge.Report) error {
	err := eachOf(ctx, cluster, fleet.ApprovedKinds(), nil, func(object fleet.Object) error {
		report.Objects.Add(object)
		return nil
	})
	if err != nil {
		return err
	}
	return cluster.EachLedger(ctx, report.Take)
}

func (r *reporter) show(report *judge.Report) error {
	switch r.output.format {
	case outputCSV:
		return r.print(show.Entries(report).CSV())
	case outputHTML:
		return r.print(show.ReportHTML(report))
	}
	return r.write(r.output, "Report", report, show.Report(report)...)
}

// beginning reads --since: 30d, 12h, or a date.
func beginning(text string, now time.Time) (time.Time, error) {
	if days, is := strings.CutSuffix(text, "d"); is {
		if number, err := strconv.Atoi(days); err == nil && number >= 0 {
			return now.AddDate(0, 0, -number), nil
		}
	}
	if length, err := time.ParseDuration(text); err == nil && length >= 0 {
		return now.Add(-length), nil
	}
	if date, err := time.Parse(time.DateOnly, text); err == nil {
		return date, nil
	}
	return time.Time{}, usageError("--since %q is neither a length like 30d or 12h nor a date like 2026-01-31", text)
}
