// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

const (
	waitFor   = 5 * time.Minute // the longest wait for a result
	lookPause = time.Second     // between two reads of it
)

type tester struct {
	*tool

	yes bool
}

func (t *tool) testCommand() *cobra.Command {
	tests := &tester{tool: t}
	command := &cobra.Command{
		Use:   "test SERVICE [TYPE]",
		Short: "Run a diagnostic test of a service and wait for its result",
		Long: "Runs a diagnostic test and shows its progress and result. The carrier runs it at once, which may\n" +
			"interrupt the customer. Without TYPE, it lists the tests of the service so far.",
		Example:           examples("kubectl broadband test site-014", "kubectl broadband test site-014 port-reset --yes"),
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: t.completeNames(fleet.Services()),
		RunE: func(command *cobra.Command, arguments []string) error {
			if len(arguments) == 1 {
				return tests.list(command.Context(), arguments[0])
			}
			return tests.run(command.Context(), arguments[0], arguments[1])
		},
	}
	command.Flags().BoolVarP(&tests.yes, "yes", "y", false, "run it without asking; needed without a terminal")
	return command
}

func (t *tool) service(ctx context.Context, typed string) (*fleet.Cluster, *v1alpha1.BroadbandService, error) {
	cluster, err := t.cluster()
	if err != nil {
		return nil, nil, err
	}
	_, name, err := fleet.ParseName(typed)
	if err != nil {
		return nil, nil, err
	}
	object, err := cluster.Fetch(ctx, fleet.Services(), name)
	if err != nil {
		return nil, nil, err
	}
	service, is := object.(*v1alpha1.BroadbandService)
	if !is {
		return nil, nil, usageError("%s is not a service", typed)
	}
	return cluster, service, nil
}

func (t *tester) list(ctx context.Context, typed string) error {
	cluster, service, err := t.service(ctx, typed)
	if err != nil {
		return err
	}
	var tests []*v1alpha1.DiagnosticTest
	err = cluster.Each(ctx, fleet.Tests(), nil, func(object fleet.Object) error {
		test, is := object.(*v1alpha1.DiagnosticTest)
		if is && judge.IsTestOf(test, service) {
			tests = append(tests, test)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return show.Write(t.Out, t.Style, show.Tests(tests, t.Now()))
}

// run creates a test, and shows its stages until it has ended.
func (t *tester) run(ctx context.Context, typed, testType string) error {
	cluster, service, err := t.service(ctx, typed)
	if err != nil {
		return err
	}
	if !t.yes {
		question := fmt.Sprintf("Run %s on service %s now? It may interrupt the customer.", testType, service.ServiceNumber())
		agreed, err := t.confirm(question)
		if err != nil {
			return fmt.Errorf("no test is run: %w", err)
		}
		if !agreed {
			return usageError("no test is run")
		}
	}
	test := &v1alpha1.DiagnosticTest{
		ObjectMeta: metav1.ObjectMeta{Namespace: service.Namespace, GenerateName: service.Name + "-"},
		Spec: v1alpha1.DiagnosticTestSpec{TestType: testType, OneShotSpec: v1alpha1.OneShotSpec{
			AccountRef: service.Spec.AccountRef, ServiceRef: &v1alpha1.ServiceReference{Name: service.Name},
		}},
	}
	if err := cluster.Create(ctx, test); err != nil {
		return err
	}
	if err := t.printf("%s created\n", judge.ReferenceTo(test).Short()); err != nil {
		return err
	}
	if err := t.awaitStages(ctx, cluster, test); err != nil {
		return err
	}
	return t.printResult(test)
}

// awaitStages prints each stage once. It does not wait for a test that needs an approval.
func (t *tester) awaitStages(ctx context.Context, cluster *fleet.Cluster, test *v1alpha1.DiagnosticTest) error {
	shown := ""
	return t.await(ctx, cluster, test, func() error {
		ready := judge.Ready(test)
		stage := ready.Reason
		if len(test.Status.Stages) > 0 {
			stage = strings.TrimSpace(test.Status.Stages[0].Name + " " + test.Status.Stages[0].Reason)
		}
		if stage != shown {
			shown = stage
			if err := t.printf("  %s\n", stage); err != nil {
				return err
			}
		}
		if ready.Reason == v1alpha1.ReasonAwaitingApproval {
			return usageError("the test waits for an approval: %s", judge.ReferenceTo(test).Command(verbApprove))
		}
		return nil
	})
}

// await waits until an object is Ready or stalled, at most for waitFor. It calls seen after each
// read.
func (t *tool) await(ctx context.Context, cluster *fleet.Cluster, object fleet.Object, seen func() error) error {
	reference := judge.ReferenceTo(object)
	for range waitFor / lookPause {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		if err := seen(); err != nil {
			return err
		}
		stalled := judge.Stalled(object)
		switch {
		case judge.Ready(object).Status == metav1.ConditionTrue:
			return nil
		case stalled != nil:
			return usageError("%s in namespace %s: %s: %s",
				reference.Short(), reference.Namespace, stalled.Reason, stalled.Message)
		}
		if !arrives(ctx, t.Wait(lookPause)) {
			return ctx.Err() //nolint:wrapcheck // the user interrupted it
		}
	}
	return usageError("%s in namespace %s has no result after %s: %s", reference.Short(), reference.Namespace, waitFor,
		reference.Command("status"))
}

func (t *tester) printResult(test *v1alpha1.DiagnosticTest) error {
	if test.Status.Result == nil {
		return t.printf("%s.\n", judge.Ready(test).Message) // it says why there is none
	}
	text, err := yaml.JSONToYAML(test.Status.Result.Raw)
	if err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	return t.printf("Result:\n%s", text)
}
