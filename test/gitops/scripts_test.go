// SPDX-License-Identifier: Apache-2.0

package gitops_test

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// The tests of Argo CD's scripts, in its own format.
type (
	healthTests struct {
		Tests []healthTest `json:"tests"`
	}
	healthTest struct {
		HealthStatus healthStatus `json:"healthStatus"`
		InputPath    string       `json:"inputPath"`
	}
	healthStatus struct {
		Status  health `json:"status"`
		Message string `json:"message"`
	}
	actionTests struct {
		DiscoveryTests []discoveryTest `json:"discoveryTests"`
		ActionTests    []actionTest    `json:"actionTests,omitempty"`
	}
	discoveryTest struct {
		InputPath string   `json:"inputPath"`
		Result    []action `json:"result"`
	}
	action struct {
		Name        string      `json:"name"`
		DisplayName string      `json:"displayName"`
		IconClass   string      `json:"iconClass"`
		Disabled    bool        `json:"disabled"`
		Params      []parameter `json:"params,omitempty"`

		annotation, value string // what it writes, if it is offered
	}
	parameter struct {
		Name string `json:"name"`
	}
	actionTest struct {
		Action             string            `json:"action"`
		InputPath          string            `json:"inputPath"`
		ExpectedOutputPath string            `json:"expectedOutputPath"`
		Parameters         map[string]string `json:"parameters,omitempty"`
	}
)

// Argo CD shows the health of the table, with the message of Ready.
func TestHealthTestsAreCurrent(t *testing.T) {
	tests := map[string]*healthTests{}
	for _, sample := range samples(t) {
		of := tests[sample.kind()]
		if of == nil {
			of = &healthTests{}
			tests[sample.kind()] = of
		}
		of.Tests = append(of.Tests, healthTest{
			HealthStatus: healthStatus{sample.health(), sample.ready().Message}, InputPath: sample.inputPath(),
		})
	}
	for kind, of := range tests {
		expectFile(t, filepath.Join(kind, "health_test.yaml"), of)
	}
}

// Argo CD offers an action where it makes sense, and writes what a person would.
func TestActionTestsAreCurrent(t *testing.T) {
	tests := map[string]*actionTests{}
	for _, sample := range samples(t) {
		actions := sample.actions(t)
		of := tests[sample.kind()]
		if of == nil {
			of = &actionTests{}
			tests[sample.kind()] = of
		}
		if len(actions) == 0 {
			continue
		}
		of.DiscoveryTests = append(of.DiscoveryTests, discoveryTest{filepath.Join("..", sample.inputPath()), actions})
		of.add(t, sample, actions)
	}
	for kind, of := range tests {
		if len(of.DiscoveryTests) > 0 {
			expectFile(t, filepath.Join(kind, "actions", "action_test.yaml"), of)
		}
	}
}

// add tests each action on the first object that it is offered on.
func (a *actionTests) add(t *testing.T, sample sample, actions []action) {
	t.Helper()
	tested := map[string]bool{}
	for _, test := range a.ActionTests {
		tested[test.Action] = true
	}
	for _, offered := range actions {
		if offered.Disabled || tested[offered.Name] {
			continue
		}
		output := filepath.Join("testdata", offered.Name+".yaml")
		test := actionTest{
			Action: offered.Name, InputPath: filepath.Join("..", sample.inputPath()), ExpectedOutputPath: output,
		}
		for _, parameter := range offered.Params { // none, or what is written
			test.Parameters = map[string]string{parameter.Name: offered.value}
		}
		a.ActionTests = append(a.ActionTests, test)
		expectFile(t, filepath.Join(sample.kind(), "actions", output), sample.annotated(t, offered))
	}
}

// annotated returns the object with the annotation that an action writes.
func (p sample) annotated(t *testing.T, offered action) any {
	t.Helper()
	text, err := os.ReadFile(p.path)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err = yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	err = unstructured.SetNestedField(object, offered.value, "metadata", "annotations", offered.annotation)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// actions returns the actions of the sample's kind, offered where they make sense.
func (p sample) actions(t *testing.T) []action {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(p.kind(), "actions", "*", "action.lua"))
	if err != nil {
		t.Fatal(err)
	}
	actions := make([]action, 0, len(folders))
	for _, folder := range folders {
		offered := p.action(filepath.Base(filepath.Dir(folder)))
		offered.Disabled = offered.value == "" || p.object.Metadata.Annotations[offered.annotation] == offered.value
		actions = append(actions, offered)
	}
	return actions
}

// action returns one of the actions with the value that it would write here; "" for none.
func (p sample) action(name string) action {
	switch name {
	case "approve":
		plan := p.approvable()
		offered := action{annotation: v1alpha1.AnnotationApprove, value: plan, IconClass: "fa fa-fw fa-check"}
		offered.Params = []parameter{{"hash"}}
		offered.DisplayName = "Approve " + cmp.Or(plan, "(nothing waits for approval)")
		return offered.named(name)
	case "trust":
		plan := p.trustable()
		offered := action{annotation: v1alpha1.AnnotationTrust, value: plan, IconClass: "fa fa-fw fa-handshake"}
		offered.Params = []parameter{{"hash"}}
		offered.DisplayName = "Believe the unknown values of " + cmp.Or(plan, "(none is unknown)")
		return offered.named(name)
	case "retry":
		return action{
			annotation: v1alpha1.AnnotationRetry, value: p.retryable(),
			DisplayName: "Try the same once more", IconClass: "fa fa-fw fa-redo",
		}.named(name)
	case "resolve-not-accepted":
		return action{
			annotation: v1alpha1.AnnotationResolve, value: p.resolvable(),
			DisplayName: "The carrier does not have it: send it again", IconClass: "fa fa-fw fa-question",
		}.named(name)
	}
	return action{
		annotation: v1alpha1.AnnotationReconcile, value: "2026-03-02T09:00:00Z",
		DisplayName: "Read the carrier's state now", IconClass: "fa fa-fw fa-sync",
	}.named(name)
}

func (a action) named(name string) action {
	a.Name = name
	return a
}

// trustable returns the plan of changes with an unknown value, which may be trusted instead.
func (p sample) trustable() string {
	unknown := func(change v1alpha1.Change) bool { return change.Unknown }
	if pending := p.object.Status.Pending; pending == nil || !slices.ContainsFunc(pending.Changes, unknown) {
		return ""
	}
	return p.approvable()
}

// approvable returns the plan of changes that may be approved.
func (p sample) approvable() string {
	if !p.is(v1alpha1.ConditionApprovalRequired) {
		return ""
	}
	return p.object.Status.Pending.Hash
}

// retryable returns the newest attempt that failed, if it may be retried. It may be if the message
// of Ready offers a retry, or says that the operator retries automatically, because a retry request
// takes effect sooner.
func (p sample) retryable() string {
	message := p.ready().Message
	again := strings.Contains(message, v1alpha1.AnnotationRetry) || strings.Contains(message, "retried automatically")
	if !again || !p.is(v1alpha1.ConditionStalled) {
		return ""
	}
	var newest v1alpha1.Request
	for _, request := range p.requests() {
		if decide.EndedInFailure(&request) && newest.FinishedAt.Before(&request.FinishedAt) {
			newest = request
		}
	}
	return newest.AttemptID
}

// resolvable returns a resolution of the attempt whose outcome only a person can find out, according
// to the message of Ready. A request in progress at another carrier was accepted there.
func (p sample) resolvable() string {
	_, resolution, offered := strings.Cut(p.ready().Message, v1alpha1.AnnotationResolve+"=")
	if !offered || !p.is(v1alpha1.ConditionStalled) || p.ready().Reason == v1alpha1.ReasonResultDiffers {
		return "" // an order with another value was accepted
	}
	attempt, _, _ := strings.Cut(resolution, "=")
	for _, request := range p.requests() {
		accepted := request.Phase == v1alpha1.PhaseInProgress
		if request.AttemptID == attempt && !accepted && request.Phase != v1alpha1.PhaseSubmitting {
			return attempt + "=NotAccepted"
		}
	}
	return "" // it is a resolution of the ledger
}

func (p sample) requests() []v1alpha1.Request {
	if p.object.Status.Request != nil {
		return []v1alpha1.Request{*p.object.Status.Request}
	}
	return p.object.Status.Requests
}

// expectFile compares a file with what it should be, or writes it.
func expectFile(t *testing.T, path string, should any) {
	t.Helper()
	text, err := yaml.Marshal(should)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(path, text, 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.ReadFile(path) //nolint:gosec // a file of the repository
	if err != nil || !bytes.Equal(held, text) {
		t.Errorf("%s is not current (%v): run make argocd-testdata", path, err)
	}
}
