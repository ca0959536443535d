// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/onsi/gomega"
)

// Audit is the audit log of the API server.
type Audit struct {
	policy, log string

	mu   sync.Mutex
	read int64                   // the number of bytes of the log that were read
	by   map[string][]auditEvent // what was read, by user
}

// auditIn returns the audit log in a folder.
func auditIn(folder string) *Audit {
	return &Audit{
		policy: filepath.Join(folder, "policy.yaml"), log: filepath.Join(folder, "audit.log"), by: map[string][]auditEvent{},
	}
}

// NewAudit prepares an audit log in a folder.
func NewAudit(folder string) (*Audit, error) {
	audit := auditIn(folder)
	policy := "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata, omitStages: [RequestReceived]}]\n"
	return audit, os.WriteFile(audit.policy, []byte(policy), 0o600)
}

// Flags returns the audit flags of the kube-apiserver. By default a new file begins after 100 MB,
// so readers miss the rest. The specs of test/controllers alone have written 64 MB.
func (a *Audit) Flags() []string {
	return []string{
		"audit-policy-file=" + a.policy, "audit-log-path=" + a.log, "audit-log-mode=blocking",
		"audit-log-maxsize=100000", // MB
	}
}

type auditEvent struct {
	Stage     string     `json:"stage"`
	URI       string     `json:"requestURI"`
	Verb      string     `json:"verb"`
	User      auditUser  `json:"user"`
	As        auditUser  `json:"impersonatedUser"`
	ObjectRef *objectRef `json:"objectRef"`
	Response  struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

type objectRef struct {
	Group       string `json:"apiGroup"`
	Resource    string `json:"resource"`
	Namespace   string `json:"namespace"`
	Subresource string `json:"subresource"`
}

type auditUser struct {
	Username string `json:"username"`
}

// username returns the impersonated user if there is one, otherwise the user.
func (e auditEvent) username() string { return cmp.Or(e.As.Username, e.User.Username) }

func (e auditEvent) action() string { return e.Verb + " " + e.ObjectRef.resource() }

// resource returns the resource as it is written in a role.
func (r objectRef) resource() string {
	if r.Subresource == "" {
		return r.Resource
	}
	return r.Resource + "/" + r.Subresource
}

// each calls a function for everything that a user did to resources.
func (a *Audit) each(user string, visit func(auditEvent)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	gomega.Expect(a.readNew()).To(gomega.Succeed())
	for _, event := range a.by[user] {
		visit(event)
	}
}

// readNew reads what was added to the log. An incomplete last line is read next time.
func (a *Audit) readNew() error {
	log, err := os.Open(a.log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing has been recorded yet
	}
	if err != nil {
		return err
	}
	gained := io.NewSectionReader(log, a.read, math.MaxInt64-a.read)
	for lines := bufio.NewReader(gained); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return log.Close()
		}
		if err != nil {
			return errors.Join(err, log.Close())
		}
		a.read += int64(len(line))
		a.keep(line)
	}
}

// keep keeps a line if it is about a resource.
func (a *Audit) keep(line []byte) {
	var event auditEvent
	if json.Unmarshal(line, &event) == nil && event.ObjectRef != nil {
		a.by[event.username()] = append(a.by[event.username()], event)
	}
}

// Tally counts a user's writes, those that were done and those that the API server refused.
type Tally struct {
	Done   map[string]int // by "verb resource[/subresource]"
	Failed map[string]int // the same, followed by the status of the response
}

// Tally counts the writes of a user in a namespace.
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

// Writes counts what a user changed in a namespace, by "verb resource[/subresource]". Conflicts
// are not counted. A pass with a stale cache may end in one, which changes nothing.
func (a *Audit) Writes(user, namespace string) map[string]int { return a.Tally(user, namespace).Done }

// Actions counts what a user did in any namespace, refused or not, as "verb
// resource[/subresource]". The action of a dry-run request ends in " (dry run)".
func (a *Audit) Actions(user string) map[string]int {
	actions := map[string]int{}
	a.each(user, func(event auditEvent) {
		action := event.action()
		if strings.Contains(event.URI, "dryRun=All") {
			action += " (dry run)"
		}
		actions[action]++
	})
	return actions
}

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

// Denied returns the actions that were denied to a user.
func (a *Audit) Denied(user string) []string {
	var denied []string
	a.each(user, func(event auditEvent) {
		if event.Response.Code == 403 {
			denied = append(denied, event.action())
		}
	})
	return denied
}

// Unused returns the operator's permissions that a user has been granted and has not used. A
// permission in the operator's namespace must be used there. A cluster-wide permission must be used
// in another namespace, or in the operator's namespace if no other permission allows the same use
// there.
func (a *Audit) Unused(user string) ([]string, error) {
	granted, err := operatorRights()
	if err != nil {
		return nil, err
	}
	unused := maps.Clone(granted)
	a.each(user, func(event auditEvent) {
		if event.Response.Code == 403 {
			return
		}
		right := Right{event.ObjectRef.Namespace, event.Verb, event.ObjectRef.Group, event.ObjectRef.resource()}
		if _, own := granted[right]; !own {
			right.Namespace = "" // a permission in every namespace
		}
		delete(unused, right)
	})
	return sortedRights(unused), nil
}

// StartAudited starts a control plane with an audit log in a folder, and a user with the operator's
// roles.
func StartAudited(ctx context.Context, folder, user string) (*ControlPlane, *Audit, error) {
	audit, err := NewAudit(folder)
	if err != nil {
		return nil, nil, err
	}
	plane, err := StartControlPlane(ctx, audit.Flags()...)
	if err != nil {
		return nil, nil, err
	}
	if err := plane.useRoles(ctx, user); err != nil {
		return nil, nil, errors.Join(err, plane.Stop())
	}
	return plane, audit, nil
}
