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
func (w *world) restart(edits ...func(*simulator.Seed)) {
	w.t.Helper()
	var kept bytes.Buffer
	if err := w.sim.Save(&kept); err != nil {
		w.t.Fatal(err)
	}
	planted := seed()
	for _, edit := range edits {
		edit(&planted)
	}
	w.sim = simulator.New(simulator.Options{Seed: planted, Now: w.clock})
	if err := w.sim.Restore(&kept); err != nil {
		w.t.Fatal(err)
	}
	w.server.Config.Handler = w.sim.Handler()
}

// TestEverythingSurvivesARestart restarts the carrier while everything that can be in progress is.
func TestEverythingSurvivesARestart(t *testing.T) {
	box := newInbox(t, http.StatusInternalServerError)
	events := sendsTo(box, simulator.EventsInHeaders)
	w := start(t, events)
	changed := w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.post(rescheduling, moveTo(leaving, "2026-12-01")).altered()
	reclaimed := w.post(reclaims, about(gone)).created()
	placed := w.post(orders, orderBody(nil)).is(http.StatusCreated)
	w.arm("Health", simulator.Fault{Kind: simulator.FaultStatus, Status: 500})
	if err := w.sim.AddService(simulator.Service{ID: 42, Client: "reseller", Plan: "Fast"}); err != nil {
		t.Fatal(err)
	}
	w.sim.Advance(time.Hour)
	w.deliver(1) // the other is to be retried
	calls, services, ordered := w.sim.Calls(), w.sim.Services(), w.sim.Orders()

	w.restart(events)
	if diff := cmp.Diff(calls, w.sim.Calls()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(services, w.sim.Services()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(ordered, w.sim.Orders()); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{changed, reclaimed} { // with the earlier token, at the earlier time
		if got := w.get(path).is(http.StatusOK); got.text("status") != "COMPLETED" {
			t.Error(got.body)
		}
	}
	if got := w.get(cancellation(leaving)).is(http.StatusOK); got.text("requestDate") != "2026-12-01" {
		t.Error(got.body)
	}
	w.post(health, about(42)).is(http.StatusInternalServerError) // the fault is still armed
	if got := w.sim.Submissions(simulator.OpPlanChange, fttp); got.Processed != 1 {
		t.Errorf("counted %+v", got)
	}
	w.wait(time.Second)
	w.deliver(1)
	if again := w.post(orders, orderBody(nil)); again.find("id") == placed.find("id") {
		t.Error("an id was given twice")
	}
}

// TestAUsedAssertionStaysUsed sends one again after a restart.
func TestAUsedAssertionStaysUsed(t *testing.T) {
	w := start(t)
	form := grant("reseller", w.sign(w.claims("reseller")))
	w.exchange(form).is(http.StatusOK)
	w.restart()
	w.exchange(form).is(http.StatusBadRequest)
}

// TestKeysThatWereRotatedStayRotated restarts after a rotation.
func TestKeysThatWereRotatedStayRotated(t *testing.T) {
	w := start(t)
	if err := w.sim.SetKeys("reseller", map[string]string{"key-2": publicPEM(key())}); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.exchange(grant("reseller", w.sign(w.claims("reseller")))).is(http.StatusBadRequest)
}

// TestStatesThatCannotBeRestored refuses each without a change.
func TestStatesThatCannotBeRestored(t *testing.T) {
	w := start(t)
	for content, want := range map[string]string{
		``:                                "EOF",
		`{"version":2}`:                   "the version is 2",
		`{"version":1,"hue":"red"}`:       "unknown field",
		`{"version":1,"requests":[null]}`: "null",
		`{"version":1,"services":[{"service":{"id":1}}]}`:               "services[0]",
		`{"version":1,"clients":[{"name":"reseller","keys":{"k":""}}]}`: `keys of "reseller"`,
	} {
		if err := w.sim.Restore(strings.NewReader(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", content, err, want)
		}
	}
	w.get(cancellation(fttp)).is(http.StatusOK)
}

// TestStateFileIsReplacedAsAWhole saves, saves again only after a change, and opens what was saved.
func TestStateFileIsReplacedAsAWhole(t *testing.T) {
	w := start(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "state.json")
	kept, err := simulator.OpenState(w.sim, path)
	if err != nil {
		t.Fatal(err)
	}
	w.save(kept)
	before := stat(t, path)
	if before.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v", before.Mode())
	}
	w.save(kept)
	if !os.SameFile(before, stat(t, path)) {
		t.Error("nothing has changed and the file is another")
	}
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.save(kept)
	if os.SameFile(before, stat(t, path)) {
		t.Error("the file was not replaced")
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
	next := simulator.New(simulator.Options{Seed: seed(), Now: w.clock})
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

func (w *world) save(kept *simulator.StateFile) {
	w.t.Helper()
	if err := kept.Save(); err != nil {
		w.t.Fatal(err)
	}
}

// TestStateFilesThatCannotBeUsed names the file in each error.
func TestStateFilesThatCannotBeUsed(t *testing.T) {
	w := start(t)
	folder := t.TempDir()
	broken := filepath.Join(folder, "broken.json")
	if err := os.WriteFile(broken, []byte(`{"version":1`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{broken, folder} {
		if _, err := simulator.OpenState(w.sim, path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%v", err)
		}
	}
	lost, err := simulator.OpenState(w.sim, filepath.Join(folder, "none", "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := lost.Save(); err == nil {
		t.Error("a file was written into a folder that does not exist")
	}
}

// TestAStateIsJSON checks that other programs can read it.
func TestAStateIsJSON(t *testing.T) {
	w := start(t)
	var kept bytes.Buffer
	if err := w.sim.Save(&kept); err != nil || !json.Valid(kept.Bytes()) {
		t.Error(err)
	}
}
