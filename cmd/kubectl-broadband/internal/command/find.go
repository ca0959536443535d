// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

type finder struct {
	*tool

	output *outputFlag
}

func (t *tool) findCommand() *cobra.Command {
	f := &finder{tool: t}
	command := &cobra.Command{
		Use:   "find TEXT",
		Short: "Find objects by a number or id: AVC, location, PRI, customer reference, service, order",
		Long: "Finds the objects that have a number or id, whole or in part, in any case. Exact matches come first.\n" +
			"Exit code 1 if there is none.",
		Example: examples("kubectl broadband find AVC000012345678", "kubectl broadband find -A SITE-015 -o json"),
		Args:    cobra.ExactArgs(1),
		RunE:    func(command *cobra.Command, texts []string) error { return f.run(command.Context(), texts[0]) },
	}
	f.output = addOutput(command)
	t.addEverywhere(command)
	return command
}

func (f *finder) run(ctx context.Context, text string) error {
	cluster, err := f.cluster()
	if err != nil {
		return err
	}
	matches := []*judge.Match{}
	err = eachOf(ctx, cluster, fleet.RequestKinds(), nil, func(object fleet.Object) error {
		if match := judge.Find(object, text); match != nil {
			matches = append(matches, match)
		}
		return nil
	})
	if err != nil {
		return err
	}
	judge.SortMatches(matches)
	err = f.write(f.output, "Matches", map[string]any{"matches": matches}, show.Matches(text, matches))
	if err == nil && len(matches) == 0 {
		err = exitWith(ExitNeeds)
	}
	return err
}
