package main

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// output is what the program has said so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write collects.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// address waits for a server to say where it listens.
func (o *output) address(t *testing.T, server string) string {
	t.Helper()
	said := regexp.MustCompile(`server=` + server + ` address=(\S+)`)
	for range 1000 {
		if found := said.FindStringSubmatch(o.String()); found != nil {
			return found[1]
		}
		time.Sleep(5 * time.Millisecond) //nolint:forbidigo // there is nothing to wait on but the log
	}
	t.Fatalf("%s does not listen: %s", server, o)
	return ""
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

// TestRunServesUntilItIsStopped starts both servers, calls them and stops the program.
func TestRunServesUntilItIsStopped(t *testing.T) {
	var said output
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- run(ctx, []string{
			"--seed", seedFile(t, "clients: []\n"), "--listen", "127.0.0.1:0", "--management-listen", "127.0.0.1:0",
		}, &said)
	}()
	if status := get(t, "http://"+said.address(t, "carrier")+"/nowhere"); status != http.StatusNotFound {
		t.Errorf("the carrier answers %d", status)
	}
	if status := get(t, "http://"+said.address(t, "management")+"/_sim/calls"); status != http.StatusOK {
		t.Errorf("the management answers %d", status)
	}
	if status := get(t, "http://"+said.address(t, "carrier")+"/_sim/calls"); status != http.StatusNotFound {
		t.Errorf("the carrier answers management calls with %d", status)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.Contains(said.String(), "path=/nowhere") {
		t.Errorf("the call is not logged: %s", &said)
	}
}

// TestRunRefusesMistakes checks that every mistake of the command line or the seed is named.
func TestRunRefusesMistakes(t *testing.T) {
	cases := map[string][]string{
		"--seed is required":    {},
		"must be above 0":       {"--seed", "x", "--speed", "0"},
		"belong together":       {"--seed", "x", "--tls-cert", "y"},
		"only flags":            {"--seed", "x", "extra"},
		"open seed":             {"--seed", filepath.Join(t.TempDir(), "none")},
		"unknown field \"hue\"": {"--seed", seedFile(t, "hue: red\n")},
		"not defined":           {"--hue"},
		"carrier: listen":       {"--seed", seedFile(t, "clients: []\n"), "--listen", "256.0.0.1:1"},
	}
	for want, args := range cases {
		err := run(t.Context(), args, &output{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestHelpExplainsEveryFlag checks that asking for help is no error.
func TestHelpExplainsEveryFlag(t *testing.T) {
	var said output
	if err := run(t.Context(), []string{"--help"}, &said); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"-listen", "-seed", "-management-listen", "-speed", "-tls-cert", "-tls-key"} {
		if !strings.Contains(said.String(), flag+" ") {
			t.Errorf("%s is not explained", flag)
		}
	}
}

// TestTheExampleSeedIsValid reads the file that the documentation points at.
func TestTheExampleSeedIsValid(t *testing.T) {
	if _, err := build(settings{seed: "seed.example.yaml", speed: 1}, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
}
