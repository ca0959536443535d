// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
)

type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeNames completes the names of live objects of these kinds. The name of a service needs no
// kind.
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
