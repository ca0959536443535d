// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

type statusOptions struct {
	*tool

	output   *outputFlag
	selector string
	watch    bool
	wave     *judge.Wave // what a watch has seen so far; nil without one
}

func (t *tool) statusCommand() *cobra.Command {
	options := &statusOptions{tool: t}
	command := &cobra.Command{
		Use:   "status [NAME | KIND/NAME]",
		Short: "Show what needs you, or everything about one object",
		Long: "Without a name: what needs a person, grouped by what to do (approve, resolve, correct, look); what waits,\n" +
			"by reason; and, for each kind, how many objects have each reason. Exit code 0 only if all objects are\n" +
			"Ready, have a request in progress, or are not to be changed according to their manifests.\n\n" +
			"With a name: everything about one object. A name without a kind is that of a BroadbandService.",
		Example: examples("kubectl broadband status", "kubectl broadband status -A -o json",
			"kubectl broadband status site-014", "kubectl broadband status sorder/site-new"),
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completeNames(fleet.Kinds()...),
		RunE: func(command *cobra.Command, names []string) error {
			if len(names) > 0 && options.selector != "" {
				return errSelectsTwice
			}
			if options.watch {
				return options.follow(command.Context(), names)
			}
			return options.once(command.Context(), names)
		},
	}
	options.output = addOutput(command)
	t.addEverywhere(command)
	command.Flags().StringVarP(&options.selector, "selector", "l", "", "only objects with these labels")
	command.Flags().BoolVarP(&options.watch, "watch", "w", false, "show it again whenever something changes")
	return command
}

func (o *statusOptions) once(ctx context.Context, names []string) error {
	cluster, err := o.cluster()
	if err != nil {
		return err
	}
	if len(names) == 1 {
		return o.one(ctx, cluster, names[0])
	}
	return o.overview(ctx, cluster)
}

func (o *statusOptions) overview(ctx context.Context, cluster *fleet.Cluster) error {
	selector, err := parseSelector(o.selector)
	if err != nil {
		return err
	}
	overview := o.wave.Overview()
	err = gatherOverview(ctx, cluster, selector, overview)
	if err != nil {
		return err
	}
	err = o.write(o.output, "Overview", overview, show.Overview(overview, o.Now())...)
	if err == nil && !overview.IsClear() {
		err = exitWith(ExitNeeds)
	}
	return err
}

// gatherOverview reads accounts regardless of the selector, because they show which of the other
// objects wait for an account that does not exist.
func gatherOverview(
	ctx context.Context, cluster *fleet.Cluster, selector labels.Selector, overview *judge.Overview,
) error {
	for _, kind := range fleet.Kinds() {
		matching := selector
		if kind.Name == "CarrierAccount" {
			matching = nil
		}
		err := cluster.Each(ctx, kind, matching, func(object fleet.Object) error {
			overview.Add(object)
			return nil
		})
		if err != nil {
			return err
		}
	}
	overview.Sort()
	if overview.Objects == 0 {
		return cluster.CheckNamespace(ctx)
	}
	return nil
}

func (o *statusOptions) one(ctx context.Context, cluster *fleet.Cluster, name string) error {
	detail, err := o.detail(ctx, cluster, name)
	if err != nil {
		return err
	}
	err = o.write(o.output, "ObjectStatus", detail, show.Detail(detail, o.Now())...)
	if err == nil && len(detail.Needs) > 0 {
		err = exitWith(ExitNeeds)
	}
	return err
}

func (o *statusOptions) detail(ctx context.Context, cluster *fleet.Cluster, name string) (*judge.Detail, error) {
	kind, objectName, err := fleet.ParseName(name)
	if err != nil {
		return nil, err
	}
	object, err := cluster.Fetch(ctx, kind, objectName)
	if err != nil {
		return nil, err
	}
	account, err := cluster.Account(ctx, object.GetNamespace(), judge.AccountOf(object))
	if err != nil {
		return nil, err
	}
	events, err := cluster.Events(ctx, object)
	if err != nil {
		return nil, err
	}
	return judge.DetailOf(object, judge.Around{Account: account, Events: events, Now: o.Now()}), nil
}

func parseSelector(text string) (labels.Selector, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, usageError("--selector %q: %v", text, err)
	}
	return selector, nil
}
