package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/onsi/gomega"
)

// output is the output of the program so far.
type output struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

// Write appends to the output.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}

// address waits until a server has logged its address.
func (o *output) address(t *testing.T, server string) string {
	t.Helper()
	logged := regexp.MustCompile(`server=` + server + ` address=(\S+)`)
	gomega.NewWithT(t).Eventually(o.String).WithTimeout(time.Minute).Should(gomega.MatchRegexp(logged.String()))
	return logged.FindStringSubmatch(o.String())[1]
}

func seedFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "seed.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func get(t *testing.T, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a loopback call of a test
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

func send(t *testing.T, url, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a loopback call of a test
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusNoContent {
		t.Fatalf("%d, %v", response.StatusCode, err)
	}
}

// TestRunServesUntilItIsStopped starts both servers, calls them and stops the program.
func TestRunServesUntilItIsStopped(t *testing.T) {
	var out output
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- run(ctx, []string{
			"--seed", seedFile(t, "clients: []\n"), "--listen", "127.0.0.1:0", "--management-listen", "127.0.0.1:0",
		}, &out)
	}()
	if status := get(t, "http://"+out.address(t, "carrier")+"/nowhere"); status != http.StatusNotFound {
		t.Errorf("the carrier responds with %d", status)
	}
	if status := get(t, "http://"+out.address(t, "management")+"/_sim/calls"); status != http.StatusOK {
		t.Errorf("the management responds with %d", status)
	}
	if status := get(t, "http://"+out.address(t, "carrier")+"/_sim/calls"); status != http.StatusNotFound {
		t.Errorf("the carrier responds to management calls with %d", status)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "path=/nowhere") {
		t.Errorf("the call is not logged: %s", &out)
	}
}

// TestServersLimitTimeAndHeaders floods a server with headers, and checks the configured time
// limits without waiting for them.
func TestServersLimitTimeAndHeaders(t *testing.T) {
	server := newServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	if server.ReadHeaderTimeout != 10*time.Second || server.ReadTimeout != 30*time.Second ||
		server.IdleTimeout != 2*time.Minute || server.WriteTimeout != 0 {
		t.Errorf("%+v", server)
	}
	listening := httptest.NewUnstartedServer(server.Handler)
	listening.Config = server
	listening.Start()
	t.Cleanup(listening.Close)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, listening.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		request.Header.Set(fmt.Sprint("X-Flood-", i), strings.Repeat("x", 1<<10))
	}
	response, err := listening.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%d, %v", response.StatusCode, err)
	}
}

// TestRunSendsEventsAndSavesItsState cancels an appointment, waits for its event, and restarts.
func TestRunSendsEventsAndSavesItsState(t *testing.T) {
	arrived := make(chan string, 1)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- r.Header.Get("Z-Event-Type") + r.Header.Get("Webhook-Signature")[:3]
	}))
	t.Cleanup(receiver.Close)
	state := filepath.Join(t.TempDir(), "state.json")
	args := []string{
		"--seed", seedFile(t, "clients: [{name: a, realm: r}]\norders: [{id: 5, client: a}]\nevents: {form: Headers}\n"),
		"--listen", "127.0.0.1:0", "--management-listen", "127.0.0.1:0", "--state", state,
		"--callback", receiver.URL, "--callback-secret-file", seedFile(t, "secret\n"),
	}
	var out output
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- run(ctx, args, &out) }()
	send(t, "http://"+out.address(t, "management")+"/_sim/appointment-cancelled", `{"orderId":5,"reason":"rain"}`)
	if got := <-arrived; got != "appointment.cancelled.eventv1," {
		t.Errorf("arrived %q", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	content, err := fs.ReadFile(os.DirFS(filepath.Dir(state)), filepath.Base(state))
	if err != nil || !strings.Contains(string(content), `"name":"appointment.cancelled"`) {
		t.Errorf("%v: %s", err, content)
	}
	if err := run(ctx, args, &out); err != nil { // restores the state and stops immediately
		t.Error(err)
	}
}

// TestRunReportsInvalidFlagsAndSeeds checks that every error in the command line or the seed is
// reported.
func TestRunReportsInvalidFlagsAndSeeds(t *testing.T) {
	cases := map[string][]string{
		"--seed is required":    {},
		"must be above 0":       {"--seed", "x", "--speed", "0"},
		"must be set together":  {"--seed", "x", "--tls-cert", "y"},
		"unexpected arguments":  {"--seed", "x", "extra"},
		"open seed":             {"--seed", filepath.Join(t.TempDir(), "none")},
		"unknown field \"hue\"": {"--seed", seedFile(t, "hue: red\n")},
		"not defined":           {"--hue"},
		"--api-word":            {"--seed", "x", "--api-word", "A B"},
		"--callback":            {"--seed", "x", "--callback", "file:///x"},
		"callback secret":       {"--seed", seedFile(t, "clients: []\n"), "--callback-secret-file", t.TempDir()},
		"is empty":              {"--seed", seedFile(t, "clients: []\n"), "--callback-secret-file", seedFile(t, "\n")},
		"has no certificate":    {"--seed", seedFile(t, "clients: []\n"), "--callback-ca", seedFile(t, "none")},
		"read --callback-ca":    {"--seed", seedFile(t, "clients: []\n"), "--callback-ca", t.TempDir()},
		"--state":               {"--seed", seedFile(t, "clients: []\n"), "--state", t.TempDir()},
		"carrier: listen":       {"--seed", seedFile(t, "clients: []\n"), "--listen", "256.0.0.1:1"},
	}
	for want, args := range cases {
		err := run(t.Context(), args, &output{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestHelpDescribesEveryFlag checks that --help is not an error.
func TestHelpDescribesEveryFlag(t *testing.T) {
	var out output
	if err := run(t.Context(), []string{"--help"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{
		"-listen", "-seed", "-management-listen", "-speed", "-tls-cert", "-tls-key", "-public-url", "-log-level", "-state",
		"-api-word", "-random-seed", "-callback", "-callback-secret-file", "-callback-ca",
	} {
		if !strings.Contains(out.String(), flag+" ") {
			t.Errorf("%s is not described", flag)
		}
	}
	if !strings.Contains(out.String(), "-hostile\n") { // a flag without an argument
		t.Error("-hostile is not described")
	}
}

// TestTheExampleSeedIsValid reads the example file that the documentation refers to.
func TestTheExampleSeedIsValid(t *testing.T) {
	if _, err := build(settings{seed: "seed.example.yaml", speed: 1}, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
}

// The management endpoints need no credentials, so by default only this machine can reach them.
func TestManagementIsServedWhereOnlyThisMachineCanReachIt(t *testing.T) {
	t.Parallel()
	for _, run := range []struct {
		args   []string
		served bool
	}{
		{nil, true},
		{[]string{"--listen=[::1]:0"}, true},
		{[]string{"--listen=localhost:0"}, true},
		{[]string{"--listen=:8480"}, false},
		{[]string{"--listen=192.0.2.1:8480"}, false},
		{[]string{"--listen=192.0.2.1:8480", "--management=on"}, true},
		{[]string{"--management=off"}, false},
		{[]string{"--management-listen=127.0.0.1:0"}, false},
	} {
		chosen, err := parse(append(run.args, "--seed=seed.yaml"), &output{})
		if err != nil {
			t.Fatal(err)
		}
		if served := chosen.managesAtCarrier(); served != run.served {
			t.Errorf("%v: served %t, want %t", run.args, served, run.served)
		}
	}
	if _, err := parse([]string{"--seed=seed.yaml", "--management=maybe"}, &output{}); err == nil {
		t.Error("--management=maybe is accepted")
	}
}

func TestThePageIsServedBesideTheCarrier(t *testing.T) {
	t.Parallel()
	sim, err := build(settings{seed: seedFile(t, "clients: []"), speed: 1}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sim.Close)
	server := httptest.NewServer(withManagement(sim))
	t.Cleanup(server.Close)
	for path, want := range map[string]int{
		"/_sim/": http.StatusOK, "/_sim/overview": http.StatusOK, "/nowhere": http.StatusNotFound,
	} {
		if got := get(t, server.URL+path); got != want {
			t.Errorf("%s: %d, want %d", path, got, want)
		}
	}
}
