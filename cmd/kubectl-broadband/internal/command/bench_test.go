// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/test/world"
)

// manyServices is the size of the fleet of the benchmarks.
const manyServices = 10_000

func BenchmarkStatusOf10000Services(b *testing.B) { benchmark(b, "status") }

func BenchmarkPlanOf10000Services(b *testing.B) { benchmark(b, "plan") }

// benchmark runs the built plugin against an API server that serves a large fleet page by page, and
// reports its memory in addition to its time.
func benchmark(b *testing.B, command string) {
	b.Helper()
	folder := b.TempDir()
	plugin := filepath.Join(folder, "kubectl-broadband")
	build := exec.Command("go", "build", "-o", plugin, "../..") //nolint:gosec,noctx // the benchmark waits for it
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	server := httptest.NewServer(largeFleet())
	defer server.Close()
	kubeconfig := filepath.Join(folder, "kubeconfig")
	if err := world.WriteKubeconfig(kubeconfig, &rest.Config{Host: server.URL}); err != nil {
		b.Fatal(err)
	}
	peak := int64(0)
	for b.Loop() {
		run := exec.Command(plugin, command, "--kubeconfig", kubeconfig) //nolint:gosec,noctx // the program is ours
		out, _ := run.CombinedOutput()                                   //nolint:errcheck // it has an exit code
		if code := run.ProcessState.ExitCode(); code < 1 || code > 3 {
			b.Fatalf("exit code %d: %s", code, out)
		}
		if usage, is := run.ProcessState.SysUsage().(*syscall.Rusage); is {
			peak = max(peak, usage.Maxrss) // in kilobytes
		}
	}
	b.ReportMetric(float64(peak)/1024, "MB/run")
}

// largeFleet serves discovery and the lists of an API server.
func largeFleet() http.Handler {
	group := v1alpha1.GroupVersion
	version := metav1.GroupVersionForDiscovery{GroupVersion: group.String(), Version: group.Version}
	mux := http.NewServeMux()
	mux.HandleFunc("/api", serve(metav1.APIVersions{Versions: []string{"v1"}}))
	mux.HandleFunc("/apis", serve(metav1.APIGroupList{Groups: []metav1.APIGroup{{
		Name: group.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
	}}}))
	resources := metav1.APIResourceList{GroupVersion: group.String()}
	for _, kind := range fleet.Kinds() {
		resources.APIResources = append(resources.APIResources, metav1.APIResource{
			Name: kind.Plural, Kind: kind.Name, Namespaced: true, Verbs: metav1.Verbs{"list"},
		})
		list := serve(metav1.PartialObjectMetadataList{})
		if kind.Name == fleet.Services().Name {
			list = servicePage
		}
		mux.HandleFunc("/apis/"+group.String()+"/namespaces/default/"+kind.Plural, list)
	}
	mux.HandleFunc("/apis/"+group.String(), serve(resources))
	return mux
}

func serve(value any) http.HandlerFunc {
	return func(response http.ResponseWriter, _ *http.Request) {
		response.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(response).Encode(value); err != nil {
			panic(err)
		}
	}
}

// servicePage serves one page of the services, of which every tenth waits for an approval.
func servicePage(response http.ResponseWriter, request *http.Request) {
	limit, err := strconv.Atoi(request.URL.Query().Get("limit"))
	if err != nil || limit > fleet.PageSize {
		http.Error(response, "a list without a limit", http.StatusBadRequest)
		return
	}
	first, _ := strconv.Atoi(request.URL.Query().Get("continue")) //nolint:errcheck // absent on the first page
	var page v1alpha1.BroadbandServiceList
	for i := first; i < min(first+limit, manyServices); i++ {
		page.Items = append(page.Items, largeService(i))
	}
	if next := first + limit; next < manyServices {
		page.Continue = strconv.Itoa(next)
	}
	serve(page)(response, request)
}

func largeService(i int) v1alpha1.BroadbandService {
	at := metav1.NewTime(time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC))
	known := &v1alpha1.KnownValue{Value: world.PlanSlow, Source: v1alpha1.SourceHealth, Since: at}
	service := v1alpha1.BroadbandService{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("site-%05d", i), Generation: 1},
		Spec: v1alpha1.BroadbandServiceSpec{
			AccountRef: v1alpha1.AccountReference{Name: "default"}, ServiceID: v1alpha1.CarrierIDOf(int64(1_000_000 + i)),
			Plan: &v1alpha1.Plan{Name: world.PlanFast, Term: 12},
		},
		Status: v1alpha1.BroadbandServiceStatus{
			ObservedGeneration: 1, Carrier: &v1alpha1.CarrierState{Plan: known, Term: known, RestorationSLA: known},
			Conditions: []metav1.Condition{{
				Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonInSync, LastTransitionTime: at,
			}},
		},
	}
	for n := range 10 {
		service.Status.History = append(service.Status.History, v1alpha1.FinishedRequest{
			Operation: v1alpha1.OperationPlanChange, Change: "plan.name \"Home 50/20\" → \"Home 100/20\"",
			Outcome: v1alpha1.PhaseSucceeded, ApprovedBy: "jo", SubmittedAt: at, At: at, Code: strconv.Itoa(n),
		})
	}
	if i%10 == 0 {
		service.Status.Conditions[0].Status = metav1.ConditionFalse
		service.Status.Conditions[0].Reason = v1alpha1.ReasonAwaitingApproval
		service.Status.Pending = &v1alpha1.Pending{Hash: "p" + strconv.Itoa(i), Changes: []v1alpha1.Change{{
			Operation: v1alpha1.OperationPlanChange, Field: "plan.name", From: world.PlanSlow, To: world.PlanFast,
		}}}
	}
	return service
}
