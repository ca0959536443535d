// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// decision is a command that shows choices, asks once, and records each in an annotation.
type decision struct {
	*tool

	verb       string // approve
	past       string // approved
	annotation string
	kinds      []fleet.Kind
	choose     func() judge.Chooser
	asks       bool                        // whether it shows what to ask the carrier before deciding
	before     func([]*judge.Choice) error // checks the choices before they are written; nil: no check

	selection *selection
	output    *outputFlag
	limits    limitFlags
	dryRun    bool
	yes       bool
}

type limitFlags struct {
	oneTime, monthly string
	changes          int
}

func (d *decision) addDecision(command *cobra.Command) {
	d.selection, d.output = d.addSelection(command), addOutput(command)
	flags := command.Flags()
	flags.StringVar(&d.limits.oneTime, "max-one-time", "", "write nothing if the one-time fees are higher than this")
	flags.StringVar(&d.limits.monthly, "max-monthly", "", "write nothing if the monthly fees rise by more than this")
	flags.IntVar(&d.limits.changes, "max-changes", -1, "write nothing if more requests than this would be sent")
	flags.BoolVar(&d.dryRun, "dry-run", false, "show what would be written, and write nothing")
	flags.BoolVarP(&d.yes, "yes", "y", false, "write without asking; needed without a terminal")
	command.ValidArgsFunction = d.completeNames(d.kinds...)
}

func (d *decision) run(ctx context.Context, names []string) error {
	d.selection.names = names
	limits, err := d.limits.parse()
	if err != nil {
		return err
	}
	cluster, err := d.cluster()
	if err != nil {
		return err
	}
	choices, err := d.choices(ctx, cluster)
	if err != nil {
		return err
	}
	sums := judge.SumsOf(choices)
	if d.output.format == outputTable {
		if err := d.layOut(ctx, cluster, choices, sums); err != nil {
			return err
		}
	}
	if why := limits.Exceeded(sums); why != "" {
		return usageError("nothing is %s: %s", d.past, why)
	}
	if d.before != nil {
		if err := d.before(choices); err != nil {
			return err
		}
	}
	if err := d.decide(ctx, cluster, choices); err != nil {
		return err
	}
	return d.report(cluster, choices, sums)
}

// layOut shows the choices, and what to ask the carrier about each.
func (d *decision) layOut(
	ctx context.Context, cluster *fleet.Cluster, choices []*judge.Choice, sums *judge.Sums,
) error {
	sections := []show.Section{show.Choices(choices, sums)}
	for _, choice := range choices {
		if !d.asks {
			break
		}
		ledger, err := cluster.Ledger(ctx, judge.LedgerOf(choice.Object))
		if err != nil {
			return err
		}
		sections = append(sections, show.Question(choice, ledger))
	}
	return show.Write(d.Out, d.Style, sections...)
}

// choices skips objects without a choice, and refuses those that were named.
func (d *decision) choices(ctx context.Context, cluster *fleet.Cluster) ([]*judge.Choice, error) {
	choose := d.choose()
	var choices []*judge.Choice
	err := d.selection.each(ctx, cluster, d.kinds, func(object fleet.Object) error {
		choice, why := choose(object)
		switch {
		case choice != nil:
			choices = append(choices, choice)
		case d.selection.named():
			return usageError("%s in namespace %s: %s", judge.ReferenceTo(object).Short(), object.GetNamespace(), why)
		}
		return nil
	})
	return choices, err
}

// decide writes the open choices, and asks first unless --yes is set. A dry run writes nothing.
func (d *decision) decide(ctx context.Context, cluster *fleet.Cluster, choices []*judge.Choice) error {
	open := slices.DeleteFunc(slices.Clone(choices), func(choice *judge.Choice) bool { return choice.Done })
	if d.dryRun || len(open) == 0 {
		return nil
	}
	if !d.yes {
		agreed, err := d.confirm(fmt.Sprintf("%s %s?", capitalized(d.verb), judge.Counted(len(open), "object")))
		if err != nil {
			return fmt.Errorf("nothing was written: %w, and first with --dry-run to see what it would do", err)
		}
		if !agreed {
			return usageError("nothing is %s", d.past)
		}
	}
	for _, choice := range open {
		d.write(ctx, cluster, choice)
	}
	return nil
}

// attempts is how often write tries to record a choice while others change the object.
const attempts = 8

// write records one choice on the version that was shown, or on one with the same choice.
func (d *decision) write(ctx context.Context, cluster *fleet.Cluster, choice *judge.Choice) {
	there := *cluster
	there.Namespace = choice.Namespace
	object := choice.Object
	for range attempts {
		err := there.Annotate(ctx, object, d.annotation, choice.Value)
		if err == nil {
			choice.Outcome, choice.Done = d.past, true
			return
		}
		if !apierrors.IsConflict(err) {
			choice.Outcome = "failed: " + advice(err).Error()
			return
		}
		if object = d.again(ctx, &there, choice); object == nil {
			return
		}
	}
	choice.Outcome = "failed: the object keeps changing; run the command again"
}

// again reads an object that has changed. It returns nil if nothing is to be written any more.
func (d *decision) again(ctx context.Context, there *fleet.Cluster, choice *judge.Choice) fleet.Object {
	object, err := there.Fetch(ctx, fleet.KindOf(choice.Object), choice.Name)
	if err != nil {
		choice.Outcome = "failed: " + advice(err).Error()
		return nil
	}
	if object.GetUID() == choice.Object.GetUID() && object.GetAnnotations()[d.annotation] == choice.Value {
		choice.Outcome, choice.Done = "already done by "+fleet.SetBy(object, d.annotation), true
		return nil
	}
	now, why := d.choose()(object)
	switch {
	case now == nil:
		choice.Outcome = "not " + d.past + ": it has changed meanwhile: " + why
		return nil
	case now.Value != choice.Value:
		choice.Outcome = "not " + d.past + ": it has changed meanwhile, and is now: " + now.What + "; run the command again"
		return nil
	}
	return object
}

type choicesDocument struct {
	DryRun  bool            `json:"dryRun"`
	Choices []*judge.Choice `json:"choices"`
	Sums    *judge.Sums     `json:"total"`
}

// report prints what became of each choice. The exit code is 1 if one was not made.
func (d *decision) report(cluster *fleet.Cluster, choices []*judge.Choice, sums *judge.Sums) error {
	var err error
	switch {
	case d.output.format != outputTable:
		err = d.tool.write(d.output, "Decision", choicesDocument{d.dryRun, choices, sums})
	case len(choices) == 0:
		err = d.printf("No selected object%s waits to be %s.\n", within(cluster), d.past)
	case d.dryRun:
		err = d.print("Dry run: nothing was written.\n")
	default:
		err = show.Write(d.Out, d.Style, show.Outcomes(choices, d.past))
	}
	if err != nil || d.dryRun {
		return err
	}
	for _, choice := range choices {
		if !choice.Done {
			return exitWith(ExitNeeds)
		}
	}
	return nil
}

func within(cluster *fleet.Cluster) string {
	if cluster.Namespace == "" {
		return ""
	}
	return " in namespace " + cluster.Namespace
}

func (l limitFlags) parse() (judge.Limits, error) {
	oneTime, oneTimeErr := amount("--max-one-time", l.oneTime)
	monthly, monthlyErr := amount("--max-monthly", l.monthly)
	limits := judge.Limits{OneTime: oneTime, Monthly: monthly, Changes: l.changes}
	return limits, errors.Join(oneTimeErr, monthlyErr)
}

// amount parses an amount of money, and returns it in hundredths; -1 if none is given.
func amount(flag, text string) (int64, error) {
	if text == "" {
		return -1, nil
	}
	cents, known := decide.Cents(&v1alpha1.Money{Amount: text})
	if !known || cents < 0 {
		return 0, usageError("%s %q is not an amount: write it like 120.00", flag, text)
	}
	return cents, nil
}

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
		"The declared values that the carrier's API cannot report are taken as true, and nothing is sent for them.\n"+
			"Known differences in the same plan of changes still wait for approval.",
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
