// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
)

// tool has what every command needs: the connection and the environment.
type tool struct {
	Environment

	connection *genericclioptions.ConfigFlags
	everywhere bool // --all-namespaces
}

// Main runs the plugin and returns its exit code.
func Main(ctx context.Context, arguments []string, environment Environment) int {
	t := &tool{Environment: environment}
	root := t.root() //nolint:contextcheck // cobra passes the context to each command
	root.SetArgs(arguments)
	root.SetIn(t.In)
	root.SetOut(t.Out)
	root.SetErr(t.Err)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitDone
	}
	ended, is := errors.AsType[*exitError](err)
	if is && ended.reason == nil {
		return ended.code
	}
	_, _ = io.WriteString(t.Err, "error: "+advice(err).Error()+"\n") //nolint:errcheck // the last place to report it
	if is {
		return ended.code
	}
	return ExitFailed
}

func (t *tool) root() *cobra.Command {
	t.connection = genericclioptions.NewConfigFlags(true)
	t.connection.WrapConfigFn = func(config *rest.Config) *rest.Config {
		config.QPS, config.Burst = 50, 300 // as kubectl
		config.UserAgent = fleet.FieldManager + "/" + t.Version
		return config
	}
	root := &cobra.Command{
		Use:   "kubectl-broadband",
		Short: "Daily work with broadband-operator: what needs you, what would change, approve, resolve, import",
		Long: "Daily work with broadband-operator.\n\n" +
			"Exit codes: 0 nothing to do, or done; 1 something needs a person; 2 something would change;\n" +
			"3 something would be spent; 4 the command failed.",
		Example:       examples("kubectl broadband status -A", "kubectl broadband plan -l site=north"),
		Version:       t.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl broadband"},
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return fmt.Errorf("%w: %s --help lists the flags", err, command.CommandPath())
	})
	root.SetVersionTemplate("kubectl-broadband {{.Version}}\n")
	t.connection.AddFlags(root.PersistentFlags())
	root.AddCommand(t.statusCommand(), t.planCommand(), t.approveCommand(), t.trustCommand(), t.retryCommand(),
		t.resolveCommand(), t.findCommand(), t.offersCommand(), t.testCommand(), t.reportCommand(), t.checkCommand(),
		t.bundleCommand(), t.importCommand())
	t.completeNamespaces(root)
	return root
}

// examples writes the examples of a command. A test runs each of them.
func examples(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

func (t *tool) cluster() (*fleet.Cluster, error) { return t.clusterWithin(0) }

// clusterWithin returns the cluster with a time limit for each request; 0: the limit of the flags.
func (t *tool) clusterWithin(limit time.Duration) (*fleet.Cluster, error) {
	config, err := t.connection.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("find the API server: %w", err)
	}
	config.Timeout = cmp.Or(limit, config.Timeout)
	namespace := ""
	if !t.everywhere {
		if namespace, _, err = t.connection.ToRawKubeConfigLoader().Namespace(); err != nil {
			return nil, fmt.Errorf("find the namespace: %w", err)
		}
	}
	return fleet.Connect(config, namespace)
}

func (t *tool) addEverywhere(command *cobra.Command) {
	command.Flags().BoolVarP(&t.everywhere, "all-namespaces", "A", false, "all namespaces instead of one")
}

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeNames completes the names of live objects. The name of a service needs no kind.
func (t *tool) completeNames(kinds ...fleet.Kind) completion {
	return func(command *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		cluster, err := t.cluster()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, kind := range kinds {
			prefix := prefixFor(kind, typed)
			if !strings.HasPrefix(prefix, typed) && !strings.HasPrefix(typed, prefix) {
				continue
			}
			err = cluster.Each(command.Context(), kind, nil, func(object fleet.Object) error {
				names = append(names, prefix+object.GetName())
				return nil
			})
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// prefixFor returns what is written before the names of a kind.
func prefixFor(kind fleet.Kind, typed string) string {
	if kind.Name == fleet.Services().Name && !strings.Contains(typed, "/") {
		return ""
	}
	return kind.Short + "/"
}

func (t *tool) completeNamespaces(root *cobra.Command) {
	must(root.RegisterFlagCompletionFunc("namespace", func(
		command *cobra.Command, _ []string, _ string,
	) ([]string, cobra.ShellCompDirective) {
		cluster, err := t.cluster()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var found corev1.NamespaceList
		if err := cluster.List(command.Context(), &found); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := make([]string, 0, len(found.Items))
		for _, namespace := range found.Items {
			names = append(names, namespace.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}))
}
