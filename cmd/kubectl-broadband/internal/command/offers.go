// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

func (t *tool) offersCommand() *cobra.Command {
	var output *outputFlag
	command := &cobra.Command{
		Use:   "offers SERVICE",
		Short: "Show the plans and SLAs that the carrier offers for a service, and their prices",
		Long: "Asks the carrier what it offers for a service now, through a PlanOptionsQuery that is removed afterwards.\n" +
			"It is free and changes nothing.",
		Example:           examples("kubectl broadband offers site-014", "kubectl broadband offers site-014 -o json"),
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: t.completeNames(fleet.Services()),
		RunE: func(command *cobra.Command, arguments []string) error {
			return t.offers(command.Context(), arguments[0], output)
		},
	}
	output = addOutput(command)
	return command
}

func (t *tool) offers(ctx context.Context, typed string, output *outputFlag) error {
	cluster, service, err := t.service(ctx, typed)
	if err != nil {
		return err
	}
	answer, err := t.askAbout(ctx, cluster, service)
	if err != nil {
		return err
	}
	reference := judge.ReferenceTo(service)
	if why := answer.Why(); why != "" {
		return usageError("the offers for %s in namespace %s are not known: %s", reference.Short(), reference.Namespace, why)
	}
	offers := judge.OffersOf(service, answer.Offers)
	return t.write(output, "Offers", offers, show.Offers(offers)...)
}

func (t *tool) askAbout(
	ctx context.Context, cluster *fleet.Cluster, service *v1alpha1.BroadbandService,
) (judge.Answer, error) {
	reference, number := judge.ReferenceTo(service), service.ServiceNumber()
	if number == "" {
		return judge.Answer{}, usageError("%s in namespace %s has no service number yet: %s",
			reference.Short(), reference.Namespace, reference.Command("status"))
	}
	account, err := cluster.Account(ctx, service.Namespace, service.AccountName())
	if err != nil {
		return judge.Answer{}, err
	}
	asker := t.newAsker(cluster)
	defer func() { asker.remove(ctx) }()
	err = asker.ask(ctx, judge.Inquiry{Service: service, Number: number, Account: account})
	if err != nil {
		return judge.Answer{}, err
	}
	answers, err := asker.await(ctx)
	if err != nil {
		return judge.Answer{}, err
	}
	return answers[0], nil
}
