// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
	"github.com/broadband-operator/broadband-operator/config"
	"github.com/broadband-operator/broadband-operator/pkg/admission"
)

type checker struct {
	*tool

	output            *outputFlag
	operatorNamespace string
	withoutSecrets    bool // keys are not checked, because no Secret may be read
}

func (t *tool) checkCommand() *cobra.Command {
	c := &checker{tool: t}
	command := &cobra.Command{
		Use:   "check",
		Short: "Check the installation: accounts, rights, CRDs, policies, versions",
		Long: "Checks each account (keys, login, clock, carrier, API version), your own rights, whether the\n" +
			"CustomResourceDefinitions and admission policies are those of this version, and the operator's deployment.\n" +
			"Exit code 1 if a check failed.",
		Example: examples("kubectl broadband check", "kubectl broadband check -A -o json"),
		Args:    cobra.NoArgs,
		RunE:    func(command *cobra.Command, _ []string) error { return c.run(command.Context()) },
	}
	c.output = addOutput(command)
	t.addEverywhere(command)
	addOperatorNamespace(command, &c.operatorNamespace)
	return command
}

// addOperatorNamespace adds the flag for the namespace of the operator, which the policies name.
func addOperatorNamespace(command *cobra.Command, namespace *string) {
	command.Flags().StringVar(namespace, "operator-namespace", "broadband-operator", "where the operator runs")
}

func (c *checker) run(ctx context.Context) error {
	cluster, err := c.cluster()
	if err != nil {
		return err
	}
	checks, err := c.checks(ctx, cluster)
	if err != nil {
		return err
	}
	err = c.write(c.output, "Checks", map[string]any{"checks": checks}, show.Checks(checks))
	failed := slices.ContainsFunc(checks, func(check judge.Check) bool { return check.Result == judge.CheckFailed })
	if err == nil && failed {
		err = exitWith(ExitNeeds)
	}
	return err
}

// checks makes every check, and skips those that the user may not make.
func (c *checker) checks(ctx context.Context, cluster *fleet.Cluster) ([]judge.Check, error) {
	checks, err := c.checkManifests(ctx, cluster)
	if err != nil {
		return nil, err
	}
	checks = append(checks, c.checkOperator(ctx, cluster))
	for _, right := range []struct{ verb, does string }{
		{"list", "view"}, {"patch", "edit"}, {verbApprove, verbApprove}, {verbResolve, verbResolve},
	} {
		checks = append(checks, checkRight(ctx, cluster, right.verb, right.does))
	}
	err = cluster.Each(ctx, fleet.Accounts(), nil, func(object fleet.Object) error {
		account, is := object.(*v1alpha1.CarrierAccount)
		if is && !c.withoutSecrets {
			checks = append(checks, checkKeys(ctx, cluster, account)...)
		}
		if is {
			checks = append(checks, judge.CheckAccount(account)...)
		}
		return nil
	})
	return checks, err
}

func (c *checker) checkManifests(ctx context.Context, cluster *fleet.Cluster) ([]judge.Check, error) {
	var checks []judge.Check
	crds, err := config.Manifests.ReadDir("crd/bases")
	if err != nil {
		return nil, fmt.Errorf("read the CRDs of this version: %w", err)
	}
	for _, entry := range crds {
		check, failure := checkCRD(ctx, cluster, entry.Name())
		if failure != nil {
			return nil, failure
		}
		checks = append(checks, check)
	}
	policies, err := admission.Shipped(c.operatorNamespace)
	if err != nil {
		return nil, err
	}
	for _, wanted := range policies {
		checks = append(checks, checkPolicy(ctx, cluster, wanted))
	}
	return checks, nil
}

func checkCRD(ctx context.Context, cluster *fleet.Cluster, file string) (judge.Check, error) {
	text, err := config.Manifests.ReadFile(path.Join("crd/bases", file))
	if err != nil {
		return judge.Check{}, fmt.Errorf("read the CRDs of this version: %w", err)
	}
	wanted, found := &apiextensionsv1.CustomResourceDefinition{}, &apiextensionsv1.CustomResourceDefinition{}
	if err = yaml.Unmarshal(text, wanted); err != nil {
		return judge.Check{}, fmt.Errorf("read %s: %w", file, err)
	}
	err = cluster.Get(ctx, client.ObjectKey{Name: wanted.Name}, found)
	switch {
	case apierrors.IsNotFound(err):
		return judge.CheckCRD(wanted, nil), nil
	case err != nil:
		return skipped(wanted.Name, "CustomResourceDefinition", err), nil
	}
	return judge.CheckCRD(wanted, found), nil
}

func checkPolicy(ctx context.Context, cluster *fleet.Cluster, wanted admission.Policy) judge.Check {
	found, err := admission.Read(ctx, cluster, wanted.Name())
	if err != nil {
		return skipped(wanted.Name(), "admission policy", err)
	}
	return judge.CheckPolicy(wanted, found)
}

func (c *checker) checkOperator(ctx context.Context, cluster *fleet.Cluster) judge.Check {
	var deployment appsv1.Deployment
	key := client.ObjectKey{Namespace: c.operatorNamespace, Name: "broadband-operator-manager"}
	if err := cluster.Get(ctx, key, &deployment); err != nil {
		return skipped("operator", "deployment", err)
	}
	image := ""
	if containers := deployment.Spec.Template.Spec.Containers; len(containers) > 0 {
		image = containers[0].Image
	}
	return judge.CheckVersions(c.Version, image, deployment.Status.AvailableReplicas)
}

// checkRight asks the API server whether the user may do something with services.
func checkRight(ctx context.Context, cluster *fleet.Cluster, verb, does string) judge.Check {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: cluster.Namespace, Verb: verb, Group: v1alpha1.GroupVersion.Group, Resource: fleet.Services().Plural,
		},
	}}
	check := judge.Check{About: "you", What: does + " services", Result: judge.CheckOK, Detail: "allowed"}
	switch err := cluster.Create(ctx, review); {
	case err != nil:
		return skipped(check.About, check.What, err)
	case !review.Status.Allowed:
		check.Result, check.Detail = judge.CheckWarning, "not allowed: docs/access.md lists the roles"
	}
	return check
}

// checkKeys does not check whether a key is valid.
func checkKeys(ctx context.Context, cluster *fleet.Cluster, account *v1alpha1.CarrierAccount) []judge.Check {
	checks := make([]judge.Check, 0, len(account.Spec.Auth.Keys))
	for _, key := range account.Spec.Auth.Keys {
		about, ref := account.Namespace+"/"+judge.ReferenceTo(account).Short(), key.PrivateKeySecretRef
		check := judge.Check{About: about, What: "key " + key.KeyID, Result: judge.CheckOK, Detail: "the Secret has the key"}
		var secret corev1.Secret
		err := cluster.Get(ctx, client.ObjectKey{Namespace: account.Namespace, Name: ref.Name}, &secret)
		switch {
		case apierrors.IsNotFound(err):
			check.Result, check.Detail = judge.CheckFailed, "there is no Secret "+ref.Name
		case err != nil:
			check = skipped(check.About, check.What, err)
		case len(secret.Data[ref.Key]) == 0:
			check.Result, check.Detail = judge.CheckFailed, "the Secret "+ref.Name+" has no key "+ref.Key
		}
		checks = append(checks, check)
	}
	return checks
}

func skipped(about, what string, err error) judge.Check {
	return judge.Check{About: about, What: what, Result: judge.CheckSkipped, Detail: err.Error()}
}
