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

// resolution are the flags of the command resolve.
type resolution struct {
	decision

	given   string // --answer as typed
	answer  string // as the annotation writes it
	attempt string
}

func (t *tool) resolveCommand() *cobra.Command {
	r := &resolution{decision: decision{
		tool: t, verb: verbResolve, past: "resolved", annotation: v1alpha1.AnnotationResolve, kinds: fleet.RequestKinds(),
		question: show.Question,
	}}
	r.choose = func() judge.Chooser { return judge.ToResolve(r.attempt, r.answer) }
	r.before = r.check
	command := r.command("Show what to ask the carrier about an unknown outcome, and record the answer",
		"Without --answer: what to ask the carrier, request by request. With it: the answer is recorded for exactly\n"+
			"the attempt that was shown. NotAccepted and Accepted take one object at a time: NotAccepted sends the request\n"+
			"again, and a request id belongs to one request.",
		"kubectl broadband resolve site-014 --dry-run",
		"kubectl broadband resolve site-014 --answer Accepted=998877 --dry-run",
		"kubectl broadband resolve --all --answer Succeeded --dry-run")
	command.RunE = func(command *cobra.Command, names []string) error { return r.resolve(command.Context(), names) }
	command.Flags().StringVar(&r.given, "answer", "", "Accepted=ID, NotAccepted, Succeeded or Abandoned")
	command.Flags().StringVar(&r.attempt, "attempt", "", "the attempt, if several of an object wait")
	must(command.RegisterFlagCompletionFunc("answer",
		cobra.FixedCompletions(judge.Answers(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace)))
	for _, flag := range []string{"max-one-time", "max-monthly", "max-changes"} {
		must(command.Flags().MarkHidden(flag)) // a resolution costs nothing by itself
	}
	return command
}

func (r *resolution) resolve(ctx context.Context, names []string) (err error) {
	if r.given == "" {
		r.dryRun = true // there is nothing to record yet
	} else if r.answer, err = judge.ParseAnswer(r.given); err != nil {
		return err
	}
	return r.run(ctx, names)
}

// check refuses an answer that must be given for each request on its own, and shows the answers if
// none was given.
func (r *resolution) check(choices []*judge.Choice) error {
	if r.given == "" && len(choices) > 0 {
		if r.output.format != outputTable {
			return nil
		}
		command := choices[0].Command(verbResolve, "--answer ...")
		if err := show.Write(r.Out, r.Style, show.Section{}, show.Answers(command)); err != nil {
			return err
		}
		return exitWith(ExitNeeds)
	}
	single := slices.ContainsFunc([]string{"Accepted", "NotAccepted"}, func(word string) bool {
		return strings.HasPrefix(r.answer, word)
	})
	if single && len(choices) > 1 {
		return usageError("%s is an answer about one request, and %d objects are selected: resolve them one by one",
			r.given, len(choices))
	}
	return nil
}
