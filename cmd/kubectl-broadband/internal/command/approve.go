// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

// The verbs that are also rights of a user.
const (
	verbApprove = "approve"
	verbResolve = "resolve"
)

func (t *tool) approveCommand() *cobra.Command {
	d := &decision{
		tool: t, verb: verbApprove, past: "approved", annotation: v1alpha1.AnnotationApprove, kinds: fleet.ApprovedKinds(),
		choose: func() judge.Chooser { return judge.ToApprove },
	}
	return d.command("Approve the plans of changes that wait, at the prices shown",
		"Shows every plan of changes with its price and the sums, asks once, and approves exactly what was shown:\n"+
			"each object gets the hash of its plan. A plan or price that changes meanwhile is not approved.",
		"kubectl broadband approve site-014", "kubectl broadband approve -l site=north --max-one-time 100.00",
		"kubectl broadband approve --all -A --dry-run")
}

func (t *tool) trustCommand() *cobra.Command {
	d := &decision{
		tool: t, verb: "trust", past: "trusted", annotation: v1alpha1.AnnotationTrust, kinds: fleet.ApprovedKinds(),
		choose: func() judge.Chooser { return judge.ToTrust },
	}
	return d.command("State that the services already have the declared values that cannot be read",
		"Takes as true the declared values that the carrier's API cannot report. Nothing is sent for them. Known\n"+
			"differences in the same plan of changes still wait for approval.",
		"kubectl broadband trust site-014", "kubectl broadband trust -l imported=yes --dry-run")
}

func (t *tool) retryCommand() *cobra.Command {
	d := &decision{
		tool: t, verb: "retry", past: "retried", annotation: v1alpha1.AnnotationRetry, kinds: fleet.RequestKinds(),
		choose: func() judge.Chooser { return judge.ToRetry(t.Now()) },
	}
	return d.command("Send failed requests once more, unchanged",
		"Each request that the carrier refused, or that failed there, is sent once more for the same manifest. Correct\n"+
			"the manifest instead if the carrier's message says what is wrong with it.",
		"kubectl broadband retry site-014", "kubectl broadband retry --all --dry-run")
}

// command builds the cobra command of a decision.
func (d *decision) command(short, long string, lines ...string) *cobra.Command {
	command := &cobra.Command{
		Use: d.verb + " [NAME | KIND/NAME]...", Short: short, Long: long, Example: examples(lines...),
		RunE: func(command *cobra.Command, names []string) error { return d.run(command.Context(), names) },
	}
	d.addDecision(command)
	return command
}

func capitalized(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
