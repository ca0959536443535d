// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

// reporter is the command report.
type reporter struct {
	*tool

	output *outputFlag
	since  string
}

func (t *tool) reportCommand() *cobra.Command {
	r := &reporter{tool: t}
	command := &cobra.Command{
		Use:   "report",
		Short: "Report what was changed and spent, by account, operation and person",
		Long: "Adds up the requests that reached the carrier and have ended, from the RequestLedgers: a ledger keeps\n" +
			"the last ten of each service. Reading RequestLedgers needs a ClusterRoleBinding of broadband-operator-viewer. A\n" +
			"price is the one that was shown before the request was sent; what an abandoned request costs is not known.\n" +
			"A diagnostic test that has been deleted belongs to no namespace: it is only in a report with -A.",
		Example: examples("kubectl broadband report --since 30d", "kubectl broadband report -A --since 2026-01-01 -o csv",
			"kubectl broadband report -o html"),
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return r.run(command.Context()) },
	}
	r.output = addOutput(command, outputCSV, outputHTML)
	t.addEverywhere(command)
	command.Flags().StringVar(&r.since, "since", "30d", "from when: days or hours ago (30d, 12h), or a date")
	return command
}

func (r *reporter) run(ctx context.Context) error {
	since, err := beginning(r.since, r.Now())
	if err != nil {
		return err
	}
	cluster, err := r.cluster()
	if err != nil {
		return err
	}
	report := &judge.Report{
		Since: metav1.NewTime(since), Until: metav1.NewTime(r.Now()), Entries: []judge.Entry{},
		Namespace: cluster.Namespace, Tests: map[string]types.NamespacedName{},
	}
	err = cluster.Each(ctx, fleet.Tests(), nil, func(test fleet.Object) error {
		report.Tests[string(test.GetUID())] = client.ObjectKeyFromObject(test)
		return nil
	})
	if err != nil {
		return err
	}
	if err := cluster.EachLedger(ctx, report.Take); err != nil {
		return err
	}
	report.Finish()
	switch r.output.format {
	case outputTable:
		return show.Write(r.Out, r.Style, show.Report(report)...)
	case outputCSV:
		return show.Entries(report).CSV(r.Out)
	case outputHTML:
		return r.print(show.ReportHTML(report))
	}
	return r.writeDocument("Report", r.output.format, report)
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
