package simulator_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// restart replaces the simulator by a new one with the same seed and the state of the old one.
func (h *harness) restart(edits ...func(*simulator.Seed)) {
	h.t.Helper()
	var kept bytes.Buffer
	if err := h.sim.Save(&kept); err != nil {
		h.t.Fatal(err)
	}
	initial := seed()
	for _, edit := range edits {
		edit(&initial)
	}
	h.sim = simulator.New(simulator.Options{Seed: initial, Now: h.clock})
	if err := h.sim.Restore(&kept); err != nil {
		h.t.Fatal(err)
	}
	h.server.Config.Handler = h.sim.Handler()
}

// TestEverythingSurvivesARestart restarts the carrier while everything possible is in progress.
func TestEverythingSurvivesARestart(t *testing.T) {
	receiver := newEventReceiver(t, http.StatusInternalServerError)
	events := withEventReceiver(receiver, simulator.EventsInHeaders)
	h := start(t, events)
	changed := h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.post(rescheduling, rescheduleBody(cancelRequested, "2026-12-01")).expectCancellationChanged()
	reclaimed := h.post(reclaims, serviceBody(cancelledService)).created()
	placed := h.post(orders, orderBody(nil)).is(http.StatusCreated)
	h.arm("Health", simulator.Fault{Kind: simulator.FaultStatus, Status: 500})
	if err := h.sim.AddService(simulator.Service{ID: 42, Client: "reseller", Plan: "Fast"}); err != nil {
		t.Fatal(err)
	}
	h.sim.Advance(time.Hour)
	h.deliver(1) // the other is to be retried
	calls, services, ordered := h.sim.Calls(), h.sim.Services(), h.sim.Orders()

	h.restart(events)
	if diff := cmp.Diff(calls, h.sim.Calls()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(services, h.sim.Services()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(ordered, h.sim.Orders()); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{changed, reclaimed} { // with the earlier token, at the earlier time
		if got := h.get(path).is(http.StatusOK); got.text("status") != "COMPLETED" {
			t.Error(got.body)
		}
	}
	if got := h.get(cancellation(cancelRequested)).is(http.StatusOK); got.text("requestDate") != "2026-12-01" {
		t.Error(got.body)
	}
	h.post(health, serviceBody(42)).is(http.StatusInternalServerError) // the fault is still armed
	if got := h.sim.Submissions(simulator.OpPlanChange, fttp); got.Processed != 1 {
		t.Errorf("counted %+v", got)
	}
	h.wait(time.Second)
	h.deliver(1)
	if again := h.post(orders, orderBody(nil)); again.find("id") == placed.find("id") {
		t.Error("an id was given twice")
	}
}

// TestAUsedAssertionIsRefusedAfterARestart sends one again after a restart.
func TestAUsedAssertionIsRefusedAfterARestart(t *testing.T) {
	h := start(t)
	form := grant("reseller", h.sign(h.claims("reseller")))
	h.exchange(form).is(http.StatusOK)
	h.restart()
	h.exchange(form).is(http.StatusBadRequest)
}

// TestRotatedKeysSurviveARestart restarts after a rotation.
func TestRotatedKeysSurviveARestart(t *testing.T) {
	h := start(t)
	if err := h.sim.SetKeys("reseller", map[string]string{"key-2": publicPEM(key())}); err != nil {
		t.Fatal(err)
	}
	h.restart()
	h.exchange(grant("reseller", h.sign(h.claims("reseller")))).is(http.StatusBadRequest)
}

// TestInvalidStatesAreNotRestored checks that an invalid state changes nothing.
func TestInvalidStatesAreNotRestored(t *testing.T) {
	h := start(t)
	for content, want := range map[string]string{
		``:                                    "EOF",
		`{"version":1}`:                       "the version is 1",
		`{"version":2,"hue":"red"}`:           "unknown field",
		`{"version":2,"requests":{"7":null}}`: "null",
		`{"version":2,"services":{"1":{"service":{"id":1}}}}`:           "services.1",
		`{"version":2,"clients":[{"name":"reseller","keys":{"k":""}}]}`: `keys of "reseller"`,
	} {
		if err := h.sim.Restore(strings.NewReader(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", content, err, want)
		}
	}
	h.get(cancellation(fttp)).is(http.StatusOK)
}

// TestTheStateFileIsReplacedAtomically saves, saves again only after a change, and opens what was
// saved.
func TestTheStateFileIsReplacedAtomically(t *testing.T) {
	h := start(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "state.json")
	kept, err := simulator.OpenState(h.sim, path)
	if err != nil {
		t.Fatal(err)
	}
	h.save(kept)
	before := stat(t, path)
	if before.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v", before.Mode())
	}
	h.save(kept)
	if !os.SameFile(before, stat(t, path)) {
		t.Error("nothing has changed and the file is another")
	}
	h.post(planChange, planChangeBody(fttp, "Fast", 1)).created()
	h.save(kept)
	if os.SameFile(before, stat(t, path)) {
		t.Error("the file was not replaced")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	next := simulator.New(simulator.Options{Seed: seed(), Now: h.clock})
	if _, err := simulator.OpenState(next, path); err != nil {
		t.Fatal(err)
	}
	if got := next.Submissions(simulator.OpPlanChange, fttp); got.Processed != 1 {
		t.Errorf("counted %+v", got)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func (h *harness) save(kept *simulator.StateFile) {
	h.t.Helper()
	if err := kept.Save(); err != nil {
		h.t.Fatal(err)
	}
}

// TestErrorsOfStateFilesNameTheFile opens files that cannot be used.
func TestErrorsOfStateFilesNameTheFile(t *testing.T) {
	h := start(t)
	folder := t.TempDir()
	broken := filepath.Join(folder, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"version":1`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{broken, folder} {
		if _, err := simulator.OpenState(h.sim, path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
	lost, err := simulator.OpenState(h.sim, filepath.Join(folder, "none", "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := lost.Save(); err == nil {
		t.Error("a file was written into a folder that does not exist")
	}
}

// TestASavedStateIsJSON checks that other programs can read it.
func TestASavedStateIsJSON(t *testing.T) {
	h := start(t)
	var kept bytes.Buffer
	if err := h.sim.Save(&kept); err != nil || !json.Valid(kept.Bytes()) {
		t.Error(err)
	}
}

// TestATransferWithoutAnAVCEndsNoServiceAfterARestart orders on a port whose AVC the carrier does
// not know, for a client that has a service without an AVC.
func TestATransferWithoutAnAVCEndsNoServiceAfterARestart(t *testing.T) {
	t.Parallel()
	none := ""
	edit := func(s *simulator.Seed) {
		s.Services[0].AVCID = &none
		s.Qualifications[1].Infrastructures[0].Ports[1].AVCID = none
	}
	h := start(t, edit)
	h.restart(edit)
	h.post(orders, orderOnPort(2, transferFields("CONNECT_OUTSTANDING", nil))).is(http.StatusCreated)
	for _, service := range h.sim.Services() {
		if *service.AVCID == none && service.Cancellation != nil {
			t.Errorf("service %d is cancelled: %+v", service.ID, service.Cancellation)
		}
	}
}
