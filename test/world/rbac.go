// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/test/source"
)

// operatorRoles returns the files in config/rbac with the operator's permissions: the generated
// roles, and what leader election and the metrics need.
func operatorRoles() []string {
	return []string{"role.yaml", "leader_election_role.yaml", "metrics_auth_role.yaml"}
}

// Right is the permission for one verb on one resource, in one namespace. If the namespace is
// empty, it applies to all namespaces.
type Right struct{ Namespace, Verb, Group, Resource string }

// String returns the permission in the form that a failing test prints.
func (r Right) String() string {
	where := "everywhere"
	if r.Namespace != "" {
		where = "in " + r.Namespace
	}
	return strings.TrimSuffix(r.Verb+" "+r.Resource+"."+r.Group, ".") + " " + where
}

// operatorRights returns all rights of the operator, one by one.
func operatorRights() (map[Right]struct{}, error) {
	rights := map[Right]struct{}{}
	for _, file := range operatorRoles() {
		roles, err := readRoles(file)
		if err != nil {
			return nil, err
		}
		for _, role := range roles {
			for _, rule := range role.Rules {
				addRights(rights, role.Namespace, rule)
			}
		}
	}
	return rights, nil
}

func addRights(rights map[Right]struct{}, namespace string, rule rbacv1.PolicyRule) {
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				rights[Right{namespace, verb, group, resource}] = struct{}{}
			}
		}
	}
}

func sortedRights(rights map[Right]struct{}) []string {
	lines := make([]string, 0, len(rights))
	for right := range rights {
		lines = append(lines, right.String())
	}
	slices.Sort(lines)
	return lines
}

// useRoles gives a user the operator's roles. From then on a Process makes its uncached calls as
// that user.
func (c *ControlPlane) useRoles(ctx context.Context, user string) error {
	if err := c.GrantRoles(ctx, user); err != nil {
		return err
	}
	config, err := c.AddUser(user)
	if err != nil {
		return err
	}
	config.QPS = -1
	operator, err := client.New(config, client.Options{Scheme: c.Scheme})
	c.Operator, c.Live = operator, operator
	return err
}

// GrantRoles gives a user the operator's roles.
func (c *ControlPlane) GrantRoles(ctx context.Context, user string) error {
	for _, file := range operatorRoles() {
		if err := c.Grant(ctx, file, user); err != nil {
			return err
		}
	}
	return nil
}

// Grant gives a user the roles of a file in config/rbac.
func (c *ControlPlane) Grant(ctx context.Context, file, user string) error {
	roles, err := readRoles(file)
	if err != nil {
		return err
	}
	for _, role := range roles {
		if err := c.bind(ctx, role, user); err != nil {
			return fmt.Errorf("grant %s: %w", role.Kind, err)
		}
	}
	return nil
}

// readRoles reads the roles of a file in config/rbac. A ClusterRole has the fields of a Role.
func readRoles(file string) ([]rbacv1.Role, error) {
	manifest, err := os.ReadFile(filepath.Join(source.Root(), "config", "rbac", file)) //nolint:gosec // a test names it
	if err != nil {
		return nil, err
	}
	var roles []rbacv1.Role
	for documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096); ; {
		var role rbacv1.Role
		switch err := documents.Decode(&role); {
		case errors.Is(err, io.EOF):
			return roles, nil
		case err != nil:
			return nil, fmt.Errorf("read the roles of %s: %w", file, err)
		}
		roles = append(roles, role)
	}
}

func (c *ControlPlane) bind(ctx context.Context, role rbacv1.Role, user string) error {
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: role.Kind, Name: role.Name}
	meta := metav1.ObjectMeta{Name: role.Name, Namespace: role.Namespace}
	binding := metav1.ObjectMeta{GenerateName: role.Name + "-", Namespace: role.Namespace} // there may be several users
	if role.Kind == "ClusterRole" {
		err := c.Client.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: role.Rules})
		return errors.Join(client.IgnoreAlreadyExists(err),
			c.Client.Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: binding, Subjects: subjects, RoleRef: ref}))
	}
	err := c.Client.Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: role.Rules})
	return errors.Join(client.IgnoreAlreadyExists(err),
		c.Client.Create(ctx, &rbacv1.RoleBinding{ObjectMeta: binding, Subjects: subjects, RoleRef: ref}))
}
