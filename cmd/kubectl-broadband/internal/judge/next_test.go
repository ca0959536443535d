// SPDX-License-Identifier: Apache-2.0

package judge_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/test/source"
)

// stalled returns an object of a kind that is stalled for a reason whose cause a person has to find.
func stalled(kind fleet.Kind) fleet.Object {
	object := kind.New()
	stall(object, v1alpha1.ReasonNotFoundOrForbidden)
	return object
}

// stall makes an object stalled for a reason.
func stall(object fleet.Object, reason string) {
	object.SetNamespace("sites")
	object.SetName("site-014")
	conditions, _ := object.Describes()
	for _, name := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionStalled} {
		status := metav1.ConditionFalse
		if name == v1alpha1.ConditionStalled {
			status = metav1.ConditionTrue
		}
		*conditions = append(*conditions, metav1.Condition{
			Type: name, Status: status, Reason: reason,
		})
	}
}

// Argo CD offers the action reconcile for the same kinds as the plugin.
func TestAReadIsProposedOnlyWhereTheOperatorReadsOnRequest(t *testing.T) {
	t.Parallel()
	for _, kind := range fleet.Kinds() {
		want := []string{}
		offered := filepath.Join(source.Root(), "config", "argocd", v1alpha1.GroupVersion.Group, kind.Name, "actions",
			"reconcile", "action.lua")
		if _, err := os.Stat(offered); err == nil {
			want = append(want, "kubectl annotate --overwrite -n sites "+kind.Short+"/site-014 "+
				v1alpha1.AnnotationReconcile+`="$(date -u +%FT%TZ)"`)
		}
		if next := judge.DetailOf(stalled(kind), judge.Around{}).Next; !slices.Equal(next, want) {
			t.Errorf("%s: %q, want %q", kind.Name, next, want)
		}
	}
}

func TestAFailedAttemptThatIsMadeOnceIsRetried(t *testing.T) {
	t.Parallel()
	for _, kind := range fleet.Kinds() {
		object := stalled(kind)
		once, is := object.(interface {
			Record() v1alpha1.Record
		})
		if !is || kind.ReadsOnRequest() {
			continue
		}
		once.Record().PutRequest(v1alpha1.Request{Operation: v1alpha1.OperationHealth, Phase: v1alpha1.PhaseRejected})
		want := []string{"kubectl broadband retry -n sites " + kind.Short + "/site-014"}
		if next := judge.DetailOf(object, judge.Around{}).Next; !slices.Equal(next, want) {
			t.Errorf("%s: %q, want %q", kind.Name, next, want)
		}
	}
}

// The API server refuses a change of an immutable spec, whatever the carrier has refused.
func TestAnEditIsProposedOnlyWhereTheAPIServerAcceptsOne(t *testing.T) {
	t.Parallel()
	for _, kind := range fleet.Kinds() {
		text, err := os.ReadFile(filepath.Join(source.Root(), "config", "crd", "bases",
			v1alpha1.GroupVersion.Group+"_"+kind.Plural+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"kubectl edit -n sites " + kind.Short + "/site-014"}
		if strings.Contains(string(text), kind.Name+" is immutable") {
			want = []string{}
		}
		object := kind.New()
		stall(object, v1alpha1.ReasonCarrierRejected)
		if next := judge.DetailOf(object, judge.Around{}).Next; !slices.Equal(next, want) {
			t.Errorf("%s: %q, want %q", kind.Name, next, want)
		}
	}
}

func TestAnOrderThatIsFrozenIsNotEdited(t *testing.T) {
	t.Parallel()
	abandoned, rejected := &v1alpha1.ServiceOrder{}, &v1alpha1.ServiceOrder{}
	stall(abandoned, v1alpha1.ReasonAbandoned)
	abandoned.Status.Request = &v1alpha1.Request{Operation: v1alpha1.OperationOrderCreate, Phase: v1alpha1.PhaseAbandoned}
	abandoned.Status.Frozen = true
	if next := judge.DetailOf(abandoned, judge.Around{}).Next; len(next) != 0 {
		t.Errorf("an abandoned order: %q", next)
	}
	stall(rejected, v1alpha1.ReasonOrderRejected)
	rejected.Status.Frozen = true
	want := []string{"kubectl broadband resolve -n sites sorder/site-014"}
	if next := judge.DetailOf(rejected, judge.Around{}).Next; !slices.Equal(next, want) {
		t.Errorf("a rejected order: %q, want %q", next, want)
	}
}
