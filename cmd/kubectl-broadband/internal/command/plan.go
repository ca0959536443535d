// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

type planner struct {
	*tool

	selection *selection
	output    *outputFlag
	prices    bool
	cluster   *fleet.Cluster
	accounts  map[client.ObjectKey]*v1alpha1.CarrierAccount // read once each; nil: it does not exist
	drafts    []*draft
	asker     *asker
}

// draft is the plan of an object, with the facts to plan a service again once it has prices.
type draft struct {
	plan    judge.ObjectPlan
	service *v1alpha1.BroadbandService // nil: the plan is complete
	known   judge.Known
}

func (t *tool) planCommand() *cobra.Command {
	p := &planner{tool: t, accounts: make(map[client.ObjectKey]*v1alpha1.CarrierAccount)}
	command := &cobra.Command{
		Use:   "plan [NAME | KIND/NAME]...",
		Short: "Show what would change at the carrier, and what it would cost",
		Long: "Shows each change with its old and new value, how the old one is known, and prices. Without arguments, it\n" +
			"shows the changes in the status of all objects of the namespace. With -f, it shows what applying the\n" +
			"manifests would change: the API server applies them in a dry run, and the plugin decides as the operator\n" +
			"does. Nothing is written and nothing is sent.\n\n" +
			"--prices reads the present prices: it creates a PlanOptionsQuery for each service, all at once, and removes\n" +
			"them afterwards. The rateLimit of the account limits how fast the carrier is asked.\n\n" +
			"Exit codes: 0 nothing would change; 2 something would change, and nothing would be spent; 3 something\n" +
			"would be spent, or could be, because a price or the carrier's present plan is not known.",
		Example: examples("kubectl broadband plan", "kubectl broadband plan site-014 -o json",
			"kubectl broadband plan -l site=north -o markdown", "kubectl broadband plan -f manifests/",
			"kubectl broadband plan -f manifests/ --prices -o markdown"),
		RunE: func(command *cobra.Command, names []string) error { return p.run(command.Context(), names) },
	}
	p.selection, p.output = t.addSelection(command), addOutput(command, outputMarkdown, outputHTML)
	command.Flags().BoolVar(&p.prices, "prices", false, "read the present prices of plan changes from the carrier")
	command.ValidArgsFunction = t.completeNames(fleet.ApprovedKinds()...)
	return command
}

func (p *planner) run(ctx context.Context, names []string) (err error) {
	p.selection.names = names
	err = p.selection.check()
	if err != nil {
		return err
	}
	if p.cluster, err = p.tool.cluster(); err != nil {
		return err
	}
	if err := p.collect(ctx); err != nil {
		return err
	}
	plan := &judge.Plan{}
	for _, one := range p.drafts {
		plan.Add(one.plan)
	}
	plan.Sort()
	if err := p.print(plan); err != nil {
		return err
	}
	return exitWith(planCode(plan))
}

// collect plans the selected objects. The carrier is asked for prices while the rest is planned.
func (p *planner) collect(ctx context.Context) error {
	plan := p.planFiles
	if len(p.selection.files) == 0 {
		plan = p.planLive
		p.selection.all = p.selection.all || !p.selection.named() && p.selection.selector == ""
	}
	p.asker = p.newAsker(p.cluster)
	defer func() { p.asker.remove(ctx) }()
	if err := plan(ctx); err != nil {
		return err
	}
	answers, err := p.asker.await(ctx)
	if err != nil {
		return err
	}
	for _, one := range p.drafts {
		if one.service != nil {
			one.plan = judge.PlanPriced(one.service, one.known, answers[0])
			answers = answers[1:]
		}
	}
	return nil
}

func planCode(plan *judge.Plan) int {
	switch {
	case plan.Sums.Spends(), plan.NotKnown > 0:
		return ExitSpends
	case !plan.Changed():
		return ExitDone
	}
	return ExitChanges
}

// planLive plans existing objects. An object that was not named is shown only if it has a change.
func (p *planner) planLive(ctx context.Context) error {
	found := false
	err := p.selection.each(ctx, p.cluster, fleet.ApprovedKinds(), func(object fleet.Object) error {
		found = true
		one, err := p.planObject(ctx, object)
		if err == nil && (len(one.plan.Changes) > 0 || p.selection.named()) {
			p.drafts = append(p.drafts, one)
		}
		return err
	})
	if err != nil || found {
		return err
	}
	return p.cluster.CheckNamespace(ctx)
}

// planObject plans from the status, unless this is older than the manifest or lacks wanted prices.
func (p *planner) planObject(ctx context.Context, object fleet.Object) (*draft, error) {
	one := judge.PlanOf(object)
	service, is := object.(*v1alpha1.BroadbandService)
	if !is || judge.Observed(object) && (!p.prices || len(one.Sendable()) == 0) {
		return &draft{plan: one}, nil
	}
	return p.planService(ctx, service)
}

func (p *planner) planFiles(ctx context.Context) error {
	manifests, err := readManifests(p.selection.files, p.cluster.Namespace)
	if err != nil {
		return err
	}
	for _, manifest := range manifests {
		kind, err := fleet.KindNamed(manifest.GetKind())
		if err != nil || !contains(fleet.ApprovedKinds(), kind.Name) {
			continue // this kind sends nothing that costs money
		}
		object, err := p.cluster.DryRun(ctx, manifest)
		if err != nil {
			return err
		}
		one, err := p.planApplied(ctx, object)
		if err != nil {
			return err
		}
		p.drafts = append(p.drafts, one)
	}
	return nil
}

// planApplied plans an object as it would be once its manifest is applied. If the object exists and
// is not a service, its plan is that of its status.
func (p *planner) planApplied(ctx context.Context, object fleet.Object) (*draft, error) {
	if service, is := object.(*v1alpha1.BroadbandService); is {
		return p.planService(ctx, service)
	}
	live := fleet.KindOf(object).New()
	err := p.cluster.Get(ctx, client.ObjectKeyFromObject(object), live)
	if apierrors.IsNotFound(err) {
		return &draft{plan: judge.PlanNew(object)}, nil
	}
	return &draft{plan: judge.PlanOf(live)}, err
}

// planService plans a service with the operator's own decision function.
func (p *planner) planService(ctx context.Context, service *v1alpha1.BroadbandService) (*draft, error) {
	known, err := p.known(ctx, service)
	if err != nil {
		return nil, err
	}
	planned := service.DeepCopy()
	one := &draft{plan: judge.PlanService(planned, known)}
	number := planned.ServiceNumber()
	if !p.prices || number == "" || !one.plan.AsksForPrice() {
		return one, nil
	}
	one.service, one.known = service, known
	return one, p.asker.ask(ctx, judge.Inquiry{Service: service, Number: number, Account: known.Account})
}

func (p *planner) known(ctx context.Context, service *v1alpha1.BroadbandService) (known judge.Known, err error) {
	known.Now = p.Now()
	if known.Account, err = p.account(ctx, service); err != nil {
		return known, err
	}
	if known.Ledger, err = p.cluster.Ledger(ctx, service.Status.Ledger); err != nil {
		return known, err
	}
	ref := service.Spec.OrderRef
	if ref == nil {
		return known, nil
	}
	order := &v1alpha1.ServiceOrder{}
	err = p.cluster.Get(ctx, client.ObjectKey{Namespace: service.Namespace, Name: ref.Name}, order)
	if err == nil {
		known.Order = order
	}
	return known, client.IgnoreNotFound(err)
}

func (p *planner) account(
	ctx context.Context, service *v1alpha1.BroadbandService,
) (*v1alpha1.CarrierAccount, error) {
	key := client.ObjectKey{Namespace: service.Namespace, Name: service.AccountName()}
	if account, read := p.accounts[key]; read {
		return account, nil
	}
	account, err := p.cluster.Account(ctx, key.Namespace, key.Name)
	if err == nil {
		p.accounts[key] = account
	}
	return account, err
}

func (p *planner) print(plan *judge.Plan) error {
	switch p.output.format {
	case outputMarkdown:
		return p.tool.print(show.PlanMarkdown(plan))
	case outputHTML:
		return p.tool.print(show.PlanHTML(plan))
	}
	return p.write(p.output, "Plan", plan, show.Plan(plan, p.Now())...)
}
