// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

type resolution struct {
	decision

	given   string // --outcome as typed
	outcome string // as the annotation writes it
	attempt string
}

func (t *tool) resolveCommand() *cobra.Command {
	r := &resolution{decision: decision{
		tool: t, verb: verbResolve, past: "resolved", annotation: v1alpha1.AnnotationResolve, kinds: fleet.RequestKinds(),
		asks: true,
	}}
	r.choose = func() judge.Chooser { return judge.ToResolve(r.attempt, r.outcome) }
	r.before = r.check
	command := r.command("Show what to ask the carrier about an unknown outcome, and record the outcome",
		"Without --outcome, it shows what to ask the carrier about each request. With it, the outcome is recorded for\n"+
			"exactly the attempt that was shown. NotAccepted and Accepted take one object at a time: NotAccepted sends the\n"+
			"request again, and a request id belongs to one request.",
		"kubectl broadband resolve site-014 --dry-run",
		"kubectl broadband resolve site-014 --outcome Accepted=998877 --dry-run",
		"kubectl broadband resolve --all --outcome Succeeded --dry-run")
	command.RunE = func(command *cobra.Command, names []string) error { return r.resolve(command.Context(), names) }
	command.Flags().StringVar(&r.given, "outcome", "", "Accepted=ID, NotAccepted, Succeeded or Abandoned")
	command.Flags().StringVar(&r.attempt, "attempt", "", "the id of the attempt, if several requests of the object wait")
	must(command.RegisterFlagCompletionFunc("outcome",
		cobra.FixedCompletions(judge.ResolvedOutcomes(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)))
	for _, flag := range []string{"max-one-time", "max-monthly", "max-changes"} {
		must(command.Flags().MarkHidden(flag)) // a resolution costs nothing by itself
	}
	return command
}

func (r *resolution) resolve(ctx context.Context, names []string) (err error) {
	if r.given == "" {
		r.dryRun = true // there is nothing to record yet
	} else if r.outcome, err = judge.ParseOutcome(r.given); err != nil {
		return err
	}
	return r.run(ctx, names)
}

// check refuses several objects if the outcome must be stated for each request separately. If no
// outcome was given, it shows the possible ones.
func (r *resolution) check(choices []*judge.Choice) error {
	if r.given == "" && len(choices) > 0 {
		if r.output.format != outputTable {
			return nil
		}
		sections := append([]show.Section{{}}, show.Resolutions(choices, verbResolve)...)
		if err := show.Write(r.Out, r.Style, sections...); err != nil {
			return err
		}
		return exitWith(ExitNeeds)
	}
	single := slices.ContainsFunc([]string{"Accepted", "NotAccepted"}, func(word string) bool {
		return strings.HasPrefix(r.outcome, word)
	})
	if single && len(choices) > 1 {
		return usageError("%s is the outcome of one request, and %d objects are selected: resolve them one by one",
			r.given, len(choices))
	}
	return nil
}
