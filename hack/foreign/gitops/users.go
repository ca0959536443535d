// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
)

// user is a user with an account in Argo CD.
type user struct{ name, password, token string }

// users are the users of the scenario. Their permissions are in people/argocd-rbac-cm.yaml.
type users struct{ viewer, approver, maintainer *user }

func newUsers() users {
	named := func(name string) *user { return &user{name: name, password: rand.Text()} }
	return users{viewer: named("viewer"), approver: named("approver"), maintainer: named("maintainer")}
}

func (p users) all() []*user { return []*user{p.viewer, p.approver, p.maintainer} }

// setPasswords stores the hash of each user's password in Argo CD's Secret.
func (s *site) setPasswords(ctx context.Context) error {
	hashes := map[string]string{}
	for _, one := range s.users.all() {
		hash, err := s.cli(ctx, one, "account", "bcrypt", "--password="+one.password)
		if err != nil {
			return err
		}
		hashes["accounts."+one.name+".password"] = strings.TrimSpace(hash)
	}
	patch, err := json.Marshal(map[string]any{"stringData": hashes})
	if err != nil {
		return fmt.Errorf("encode the passwords: %w", err)
	}
	_, err = s.RunKubectl(ctx, "patch", "secret", "argocd-secret", "--namespace="+argocdName, "--patch="+string(patch))
	return err
}

// logIn logs in every user and keeps the session tokens.
func (s *site) logIn(ctx context.Context) error {
	for _, one := range s.users.all() {
		credentials, err := json.Marshal(map[string]string{"username": one.name, "password": one.password})
		if err != nil {
			return fmt.Errorf("encode a password: %w", err)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.api("session"), bytes.NewReader(credentials))
		if err != nil {
			return fmt.Errorf("log in: %w", err)
		}
		request.Header.Set("Content-Type", "application/json")
		var session struct{ Token string }
		if err := machine.Send(request, machine.JSON(&session)); err != nil {
			return fmt.Errorf("log %s in: %w", one.name, err)
		}
		one.token = session.Token
	}
	return nil
}

// api returns the URL of a call to Argo CD's API server.
func (s *site) api(call string) string { return "http://" + s.addresses.server + "/api/v1/" + call }

// action is a resource action of Argo CD's API.
type action struct {
	Namespace    string            `json:"namespace"`
	ResourceName string            `json:"resourceName"`
	Group        string            `json:"group"`
	Version      string            `json:"version"`
	Kind         string            `json:"kind"`
	Action       string            `json:"action"`
	Parameters   []actionParameter `json:"resourceActionParameters"`
}

type actionParameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// runAction runs a resource action as a user.
func (s *site) runAction(ctx context.Context, as *user, run action) error {
	body, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("write action %s: %w", run.Action, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		s.api("applications/"+s.name+"/resource/actions/v2"), bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make action %s: %w", run.Action, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+as.token)
	if err := machine.Send(request, func(io.Reader) error { return nil }); err != nil {
		return fmt.Errorf("run action %s as %s: %w", run.Action, as.name, err)
	}
	return nil
}

// cli runs Argo CD's command line as a user.
func (s *site) cli(ctx context.Context, as *user, args ...string) (string, error) {
	return s.Finish(ctx, machine.Program{
		Command: append([]string{filepath.Join(s.argocd, "argocd")}, args...),
		Environment: append(s.argocdEnvironment(),
			"ARGOCD_SERVER="+s.addresses.server, "ARGOCD_AUTH_TOKEN="+as.token, "ARGOCD_OPTS=--plaintext"),
	})
}
