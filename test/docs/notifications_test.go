// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

const notificationsPage = "docs/notifications-out.md"

var (
	alertName   = regexp.MustCompile(`\bBroadband[A-Z]\w+`)
	metricName  = regexp.MustCompile(`\bbroadband_\w+`)
	givenReason = regexp.MustCompile(`(?m)^\s*Reason\w+\s+= "(\w+)"`)
	lineBreak   = regexp.MustCompile(`\\\n\s*`)
	phaseCell   = regexp.MustCompile("(?m)^\\| ((?:`\\w+`(?:, )?)+) \\|")
)

// notificationFiles returns the texts of config/notifications by path.
func notificationFiles(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../../config/notifications/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files: %v", len(paths), err)
	}
	files := map[string]string{}
	for _, path := range paths {
		path = strings.TrimPrefix(path, "../../")
		files[path] = text(t, path)
	}
	return files
}

// parsedYAML parses each document of a YAML file.
func parsedYAML(t *testing.T, content string) []map[string]any {
	t.Helper()
	var parsed []map[string]any
	for decoder := utilyaml.NewYAMLToJSONDecoder(strings.NewReader(content)); ; {
		var document map[string]any
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return parsed
		}
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, document)
	}
}

func TestThePageLinksEveryNotificationFile(t *testing.T) {
	t.Parallel()
	for path, content := range notificationFiles(t) {
		if !strings.Contains(text(t, notificationsPage), "(../"+path+")") {
			t.Errorf("%s does not link %s", notificationsPage, path)
		}
		for _, document := range parsedYAML(t, content) {
			if len(document) == 0 {
				t.Errorf("%s has an empty document", path)
			}
		}
	}
}

// mentioned returns what the page and the files of notifications mention.
func mentioned(t *testing.T, what *regexp.Regexp) []string {
	t.Helper()
	found := what.FindAllString(text(t, notificationsPage), -1)
	for _, content := range notificationFiles(t) {
		found = append(found, what.FindAllString(content, -1)...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func TestNotificationsMentionAlertsAndMetricsThatExist(t *testing.T) {
	t.Parallel()
	rules, metrics := text(t, "config/prometheus/rules.yaml"), text(t, "docs/metrics.md")
	alerts, names := mentioned(t, alertName), mentioned(t, metricName)
	if len(alerts) < 2 || len(names) == 0 {
		t.Fatalf("found only the alerts %v and the metrics %v", alerts, names)
	}
	for _, alert := range alerts {
		if alert != "BroadbandService" && !strings.Contains(rules, "- alert: "+alert+"\n") {
			t.Errorf("there is no alert %s", alert)
		}
	}
	for _, name := range names {
		if !strings.Contains(metrics, "`"+name) {
			t.Errorf("docs/metrics.md has no metric %s", name)
		}
	}
}

// statedReasons returns the reasons of conditions, which the Events about them have, too.
func statedReasons(t *testing.T) []string {
	t.Helper()
	found := givenReason.FindAllStringSubmatch(text(t, "api/v1alpha1/condition_types.go"), -1)
	reasons := make([]string, 0, len(found))
	for _, given := range found {
		reasons = append(reasons, given[1])
	}
	return reasons
}

func TestNotificationsSelectReasonsOfEvents(t *testing.T) {
	t.Parallel()
	// A line of YAML in quotes continues on the next one after a backslash.
	file := lineBreak.ReplaceAllString(text(t, "config/notifications/fluent-bit-events.yaml"), "")
	_, after, _ := strings.Cut(file, "reason ^(")
	inside, _, _ := strings.Cut(after, ")$")
	listed := strings.Split(inside, "|")
	if !slices.Contains(listed, v1alpha1.ReasonAwaitingApproval) {
		t.Errorf("the filter does not select %s: %v", v1alpha1.ReasonAwaitingApproval, listed)
	}
	reasons := append(eventReasons(t), statedReasons(t)...)
	for _, reason := range listed {
		if !slices.Contains(reasons, reason) {
			t.Errorf("no Event has the reason %s", reason)
		}
	}
}

func TestThePhasesForACRMExist(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(text(t, notificationsPage), "\n## A CRM\n")
	phases := regexp.MustCompile("`([A-Z]\\w+)`").FindAllStringSubmatch(
		strings.Join(phaseCell.FindAllString(section, -1), ""), -1)
	if len(phases) == 0 {
		t.Error("the page has no phase")
	}
	for _, phase := range phases {
		if !strings.Contains(text(t, "docs/requestlog.schema.json"), `"`+phase[1]+`"`) {
			t.Errorf("docs/requestlog.schema.json has no phase %s", phase[1])
		}
	}
}

// approves is what the trigger for approvals looks for in the message of an object's health: Argo CD
// shows nothing else of an object that waits for one, and others are Suspended, too.
const approves = v1alpha1.AnnotationApprove + "="

// savedConditions returns the conditions of each object that the tests of controllers/ have saved.
func savedConditions(t *testing.T) [][]metav1.Condition {
	t.Helper()
	list, _ := savedObjects(t)
	var saved struct {
		Items []struct {
			Status struct {
				Conditions []metav1.Condition `json:"conditions"`
			} `json:"status"`
		} `json:"items"`
	}
	if err := json.Unmarshal(list, &saved); err != nil {
		t.Fatal(err)
	}
	conditions := make([][]metav1.Condition, 0, len(saved.Items))
	for _, object := range saved.Items {
		conditions = append(conditions, object.Status.Conditions)
	}
	return conditions
}

func TestTheArgoCDTriggerMatchesWhatWaitsForAnApproval(t *testing.T) {
	t.Parallel()
	if found := strings.Count(text(t, "config/notifications/argocd.yaml"), approves); found != 4 {
		t.Errorf("the trigger and its template look for %q %d times, not 4 times", approves, found)
	}
	waiting := 0
	for _, conditions := range savedConditions(t) {
		ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
		matches := ready != nil && strings.Contains(ready.Message, approves)
		if matches != meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionApprovalRequired) {
			t.Errorf("the trigger is wrong about an object with %+v", ready)
		}
		if matches {
			waiting++
		}
	}
	if waiting == 0 {
		t.Error("no saved object waits for an approval")
	}
}
