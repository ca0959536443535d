// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Audit is the API server's own record of who did what.
type Audit struct{ policy, log string }

// NewAudit prepares one in a folder.
func NewAudit(folder string) (*Audit, error) {
	audit := &Audit{policy: filepath.Join(folder, "policy.yaml"), log: filepath.Join(folder, "audit.log")}
	policy := "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata, omitStages: [RequestReceived]}]\n"
	return audit, os.WriteFile(audit.policy, []byte(policy), 0o600)
}

// Flags are what the kube-apiserver has to be told.
func (a *Audit) Flags() []string {
	return []string{"audit-policy-file=" + a.policy, "audit-log-path=" + a.log, "audit-log-mode=blocking"}
}

type auditEvent struct {
	Stage string `json:"stage"`
	Verb  string `json:"verb"`
	User  struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef *struct {
		Resource    string `json:"resource"`
		Namespace   string `json:"namespace"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

func (e auditEvent) action() string {
	action := e.Verb + " " + e.ObjectRef.Resource
	if e.ObjectRef.Subresource != "" {
		action += "/" + e.ObjectRef.Subresource
	}
	return action
}

// each visits what a user did to resources. The last line may not be whole yet.
func (a *Audit) each(user string, visit func(auditEvent)) {
	log, err := os.ReadFile(a.log)
	if errors.Is(err, fs.ErrNotExist) {
		return // nothing has been recorded yet
	}
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for line := range bytes.Lines(log) {
		var event auditEvent
		if json.Unmarshal(line, &event) == nil && event.User.Username == user && event.ObjectRef != nil {
			visit(event)
		}
	}
}

// Tally tells what a user changed from what the API server did not let through.
type Tally struct {
	Done   map[string]int // by "verb resource[/subresource]"
	Failed map[string]int // the same, with the status of the answer behind it
}

// Tally counts what a user wrote in a namespace.
func (a *Audit) Tally(user, namespace string) Tally {
	tally := Tally{Done: map[string]int{}, Failed: map[string]int{}}
	a.each(user, func(event auditEvent) {
		switch event.Verb {
		case "create", "update", "patch", "delete":
			if event.ObjectRef.Namespace == namespace && event.Stage == "ResponseComplete" {
				tally.add(event)
			}
		}
	})
	return tally
}

func (t Tally) add(event auditEvent) {
	if event.Response.Code/100 == 2 {
		t.Done[event.action()]++
		return
	}
	t.Failed[fmt.Sprintf("%s: %d", event.action(), event.Response.Code)]++
}

// Writes counts what a user changed in a namespace, by "verb resource[/subresource]". A
// conflict changes nothing: a look at a cache that lags behind may end in one.
func (a *Audit) Writes(user, namespace string) map[string]int { return a.Tally(user, namespace).Done }

// Count counts an action of a user, whatever its stage.
func (a *Audit) Count(user, action string) int {
	count := 0
	a.each(user, func(event auditEvent) {
		if event.action() == action {
			count++
		}
	})
	return count
}

// Denied are the actions that a user was not allowed.
func (a *Audit) Denied(user string) []string {
	var denied []string
	a.each(user, func(event auditEvent) {
		if event.Response.Code == 403 {
			denied = append(denied, event.action())
		}
	})
	return denied
}

// StartAudited starts a control plane that keeps a record in a folder of what is done to
// it, and has a user with the operator's roles.
func StartAudited(ctx context.Context, folder, user string) (*ControlPlane, *Audit, error) {
	audit, err := NewAudit(folder)
	if err != nil {
		return nil, nil, err
	}
	plane, err := StartControlPlane(ctx, audit.Flags()...)
	if err != nil {
		return nil, nil, err
	}
	if err := plane.GrantRoles(ctx, user); err != nil {
		return nil, nil, errors.Join(err, plane.Stop())
	}
	return plane, audit, nil
}

// GrantRoles gives a user the operator's roles: the generated ones, and what leader
// election and the metrics need.
func (c *ControlPlane) GrantRoles(ctx context.Context, user string) error {
	for _, file := range []string{"role.yaml", "leader_election_role.yaml", "metrics_auth_role.yaml"} {
		if err := c.Grant(ctx, file, user); err != nil {
			return err
		}
	}
	return nil
}

// Grant gives a user the roles of a file in config/rbac.
func (c *ControlPlane) Grant(ctx context.Context, file, user string) error {
	manifest, err := os.ReadFile(filepath.Join(Root(), "config", "rbac", file)) //nolint:gosec // a test names it
	if err != nil {
		return err
	}
	documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		var role rbacv1.Role // a ClusterRole has the same fields
		err := documents.Decode(&role)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the operator's roles: %w", err)
		}
		if err := c.bind(ctx, role, user); err != nil {
			return fmt.Errorf("grant %s: %w", role.Kind, err)
		}
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
