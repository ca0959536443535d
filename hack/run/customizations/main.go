// SPDX-License-Identifier: Apache-2.0

// Customizations writes Argo CD's configuration for our kinds: a health script for each kind and
// scripts for the actions it has, in the layout that Argo CD itself uses, and all of them together
// as a patch of argocd-cm.
//
// Argo CD requires every script to be self-contained. So each one is assembled from the fragments
// in config/argocd/lua, and common code is written only once.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

func main() {
	from := flag.String("from", "config/argocd/lua", "the `folder` with the fragments")
	into := flag.String("into", "config/argocd", "the `folder` to write to")
	flag.Parse()
	if err := run(fragments(*from), *into); err != nil {
		fmt.Fprintln(os.Stderr, "customizations:", err)
		os.Exit(1)
	}
}

// The actions.
const (
	approve     = "approve"
	trust       = "trust"
	reconcile   = "reconcile"
	retry       = "retry"
	notAccepted = "resolve-not-accepted"
)

// kind is one of our kinds and its actions.
type kind struct {
	name    string
	actions []string
}

// kinds returns all kinds but RequestLedger. Each has the actions whose annotations its controller
// supports.
func kinds() []kind {
	return []kind{
		{name: "CarrierAccount"},
		{name: "BroadbandService", actions: []string{approve, trust, reconcile, retry, notAccepted}},
		{name: "ServiceOrder", actions: []string{approve, reconcile, retry, notAccepted}},
		{name: "AppointmentRequest", actions: []string{reconcile, retry, notAccepted}},
		{name: "DiagnosticTest", actions: []string{approve, retry, notAccepted}},
		{name: "FibreBuildQuote", actions: []string{retry}},
		{name: "PlanOptionsQuery", actions: []string{retry}},
		{name: "HealthCheck", actions: []string{retry}},
	}
}

// run writes the scripts of every kind, and the patch.
func run(lua fragments, into string) error {
	var all []script
	for _, kind := range kinds() {
		scripts, err := lua.of(kind)
		if err != nil {
			return err
		}
		all = append(all, scripts...)
	}
	for _, script := range all {
		if err := write(filepath.Join(into, script.path()), script.text); err != nil {
			return err
		}
	}
	patch, err := configMap(all)
	if err != nil {
		return err
	}
	return write(filepath.Join(into, "component", "argocd-cm.yaml"), patch)
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // a folder of the repository
		return fmt.Errorf("make a folder: %w", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // a file of the repository
		return fmt.Errorf("write a script: %w", err)
	}
	return nil
}

// script is one script of one kind.
type script struct {
	kind   string
	action string // "" for health and discovery
	file   string // health.lua, discovery.lua or action.lua
	text   string
}

// Argo CD's names for the files.
const (
	healthFile    = "health.lua"
	discoveryFile = "discovery.lua"
	actionFile    = "action.lua"
)

func (s script) path() string {
	if s.file == healthFile {
		return filepath.Join(v1alpha1.GroupVersion.Group, s.kind, s.file)
	}
	return filepath.Join(v1alpha1.GroupVersion.Group, s.kind, "actions", s.action, s.file)
}

// fragments is the folder of the fragments.
type fragments string

// The names of the fragments. Those of an action are in a folder with the action's name.
const (
	commonPart   = "common.lua"
	requestsPart = "requests.lua"
	subjectPart  = "subject.lua" // what the action is about; reconcile has none
)

// of returns all scripts of a kind.
func (f fragments) of(kind kind) ([]script, error) {
	health, err := f.join(commonPart, healthFile)
	if err != nil {
		return nil, err
	}
	scripts := []script{{kind: kind.name, file: healthFile, text: health}}
	if len(kind.actions) == 0 {
		return scripts, nil
	}
	discovery, err := f.discovery(kind.actions)
	if err != nil {
		return nil, err
	}
	scripts = append(scripts, script{kind: kind.name, file: discoveryFile, text: discovery})
	for _, action := range kind.actions {
		text, err := f.join(slices.Concat([]string{commonPart, requestsPart}, f.parts(action, subjectPart, actionFile))...)
		if err != nil {
			return nil, err
		}
		scripts = append(scripts, script{kind: kind.name, action: action, file: actionFile, text: text})
	}
	return scripts, nil
}

// discovery returns the script that lists the actions and which of them are enabled.
func (f fragments) discovery(actions []string) (string, error) {
	subjects, offers := make([]string, 0, len(actions)), make([]string, 0, len(actions))
	for _, action := range actions {
		subjects = append(subjects, f.parts(action, subjectPart)...)
		offers = append(offers, f.parts(action, discoveryFile)...)
	}
	text, err := f.join(slices.Concat([]string{commonPart, requestsPart}, subjects, []string{"actions.lua"}, offers)...)
	return text + "\nreturn actions\n", err
}

// parts returns the fragments of an action that exist.
func (f fragments) parts(action string, files ...string) []string {
	var parts []string
	for _, file := range files {
		part := filepath.Join(action, file)
		if _, err := os.Stat(filepath.Join(string(f), part)); err == nil {
			parts = append(parts, part)
		}
	}
	return parts
}

// join concatenates fragments.
func (f fragments) join(parts ...string) (string, error) {
	texts := make([]string, 0, len(parts))
	for _, part := range parts {
		text, err := os.ReadFile(filepath.Join(string(f), part)) //nolint:gosec // the user chose the folder
		if err != nil {
			return "", fmt.Errorf("read a fragment: %w", err)
		}
		texts = append(texts, strings.TrimSpace(string(text))+"\n")
	}
	return strings.Join(texts, "\n"), nil
}
