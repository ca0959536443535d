// SPDX-License-Identifier: Apache-2.0

package show_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

func serviceWith(name, reason string) *v1alpha1.BroadbandService {
	service := &v1alpha1.BroadbandService{ObjectMeta: metav1.ObjectMeta{Namespace: "sites", Name: name}}
	ready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: reason}
	service.Status.Conditions = []metav1.Condition{ready}
	return service
}

func textOf(t *testing.T, overview *judge.Overview, now time.Time) string {
	t.Helper()
	overview.Sort()
	var text strings.Builder
	if err := show.Write(&text, table.Style{}, show.Overview(overview, now)...); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestWhatManifestsForbidIsListedWithWhatComesNext(t *testing.T) {
	t.Parallel()
	overview := &judge.Overview{}
	for name, reason := range map[string]string{
		"a": v1alpha1.ReasonPlanned, "b": v1alpha1.ReasonPlanned, "c": v1alpha1.ReasonSuspended,
	} {
		overview.Add(serviceWith(name, reason))
	}
	const want = `Nothing needs you.

NOT CHANGED: their manifests say so (3)
REASON      OBJECTS   NEXT
Planned     2         see kubectl broadband plan or import --report, then set managementPolicy: Manage
Suspended   1         to send the changes, set suspend: false
`
	if got := textOf(t, overview, time.Time{}); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

func TestAWatchSaysHowFarItsWaveIs(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, time.March, 2, 14, 2, 10, 0, time.UTC)
	wave := judge.NewWave(began)
	inProgress, done := serviceWith("a", v1alpha1.ReasonProgressing), serviceWith("b", v1alpha1.ReasonProgressing)
	for range 2 {
		overview := wave.Overview()
		overview.Add(inProgress)
		overview.Add(done)
		done.Status.Conditions[0] = metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}
	}
	const want = "SINCE 14:02:10: 1 of 2 done, 1 in progress, at this pace until 14:04:10\n\nNothing needs you.\n"
	overview := wave.Overview()
	overview.Add(inProgress)
	overview.Add(done)
	if got := textOf(t, overview, began.Add(time.Minute)); !strings.HasPrefix(got, want) {
		t.Error(got)
	}
}

// The text may be posted as a comment, and a note has what a manifest and the carrier say.
func TestANoteOfAPlanHasNoMeaningInMarkdown(t *testing.T) {
	t.Parallel()
	object := judge.ObjectPlan{
		Reference: judge.Reference{Kind: "BroadbandService", Name: "site"},
		Notes:     []string{"the carrier does not offer \"![x](https://evil.example/p) @all\""},
	}
	text := show.PlanMarkdown(&judge.Plan{Objects: []judge.ObjectPlan{object}})
	if strings.Contains(text, "![") || strings.Contains(text, "@all") || !strings.Contains(text, "does not offer") {
		t.Error(text)
	}
}
