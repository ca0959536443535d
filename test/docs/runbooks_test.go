// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// savedObject is what the runbooks read of an object.
type savedObject struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
		UID       string `json:"uid"`
	} `json:"metadata"`
	Status struct {
		Request  savedRequest   `json:"request"`
		Requests []savedRequest `json:"requests"`
	} `json:"status"`
}

type savedRequest struct {
	Phase string `json:"phase"`
}

func requestsIn(objects []savedObject, phases []string) []string {
	var found []string
	for _, object := range objects {
		for _, request := range append(object.Status.Requests, object.Status.Request) {
			if slices.Contains(phases, request.Phase) {
				found = append(found, request.Phase+" "+object.Kind+" "+object.Metadata.Namespace+"/"+object.Metadata.Name)
			}
		}
	}
	return found
}

// savedObjects returns the objects that the tests of controllers/ have saved, as a list of kubectl,
// and the same objects.
func savedObjects(t *testing.T) ([]byte, []savedObject) {
	t.Helper()
	files, failed := filepath.Glob("../../config/argocd/wholesale.broadband/*/testdata/*.yaml")
	if failed != nil || len(files) == 0 {
		t.Fatalf("%d objects: %v", len(files), failed)
	}
	items, objects := make([]json.RawMessage, len(files)), make([]savedObject, len(files))
	for i, file := range files {
		item, err := yaml.YAMLToJSON([]byte(text(t, strings.TrimPrefix(file, "../../"))))
		if err != nil {
			t.Fatal(err)
		}
		if err = json.Unmarshal(item, &objects[i]); err != nil {
			t.Fatal(err)
		}
		items[i] = item
	}
	printed, err := json.Marshal(map[string]any{"items": items})
	if err != nil {
		t.Fatal(err)
	}
	return printed, objects
}

// shell runs commands with a kubectl that prints a file whatever it is asked for, and with the jq that
// `make bin/jq` builds.
func shell(t *testing.T, printed []byte, commands string) string {
	t.Helper()
	folder := t.TempDir()
	list := filepath.Join(folder, "list.json")
	if err := os.WriteFile(list, printed, 0o600); err != nil {
		t.Fatal(err)
	}
	with := "kubectl() { cat \"$LIST\"; }\n" + commands
	command := exec.CommandContext(t.Context(), "bash", "-euc", with) //nolint:gosec // commands of our own page
	tools, err := filepath.Abs("../../bin")
	if err != nil {
		t.Fatal(err)
	}
	command.Env = append(os.Environ(), "LIST="+list, "PATH="+tools+":"+os.Getenv("PATH"))
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaint.String())
	}
	return string(out)
}

var runbookCommands = regexp.MustCompile("(?s)\n```sh\n(.*?)\n```\n")

// The reason of Ready does not always show the phase that an alert counts.
func TestTheRunbooksFindRequestsByTheirPhase(t *testing.T) {
	t.Parallel()
	list, objects := savedObjects(t)
	function := runbookCommands.FindStringSubmatch(text(t, "docs/runbooks.md"))[1]
	for _, phases := range [][]string{{"OutcomeUnknown", "LateAcceptance"}, {"Submitting"}, {"InProgress"}} {
		want, got := requestsIn(objects, phases), []string{}
		for line := range strings.Lines(shell(t, list, function+"\nrequests_in "+strings.Join(phases, " "))) {
			fields := strings.Fields(line)
			got = append(got, fields[1]+" "+fields[3]+" "+fields[4])
		}
		slices.Sort(want)
		slices.Sort(got)
		if len(want) == 0 || !slices.Equal(want, got) {
			t.Errorf("%v (-want +got):\n%s", phases, cmp.Diff(want, got))
		}
	}
}

// A request without an object is in a ledger whose holder is deleted, or was replaced by another
// object of the same name.
func TestTheRunbooksFindRequestsWithoutAnObject(t *testing.T) {
	t.Parallel()
	const list = `{"items": [
		{"kind": "ServiceOrder", "metadata": {"uid": "there"}},
		{"kind": "DiagnosticTest", "metadata": {"uid": "test"}},
		{"kind": "RequestLedger", "metadata": {"name": "marker"}, "spec": {"marker": {}}},
		{"kind": "RequestLedger", "metadata": {"name": "order-kept"}, "spec": {"holder": {"uid": "there"},
			"open": [{"operation": "OrderCreate", "phase": "InProgress"}]}},
		{"kind": "RequestLedger", "metadata": {"name": "order-idle"}, "spec": {"holder": {"uid": "gone"}}},
		{"kind": "RequestLedger", "metadata": {"name": "order-left"}, "spec": {"holder": {"uid": "gone",
			"namespace": "sites", "name": "site"}, "open": [{"operation": "OrderCreate", "phase": "InProgress"}]}},
		{"kind": "RequestLedger", "metadata": {"name": "diagnostics"}, "spec": {"diagnostics": {}, "open": [
			{"operation": "DiagnosticTest", "phase": "InProgress", "uid": "test"},
			{"operation": "DiagnosticTest", "phase": "OutcomeUnknown", "uid": "gone"}]}}
	]}`
	_, entry, _ := strings.Cut(text(t, "docs/runbooks.md"), "\n## BroadbandRequestWithoutObject\n")
	const want = "order-left  OrderCreate  InProgress  sites/site\n" +
		"diagnostics  DiagnosticTest  OutcomeUnknown  /\n"
	if diff := cmp.Diff(want, shell(t, []byte(list), runbookCommands.FindStringSubmatch(entry)[1])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
