// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// carrierProcess is the simulated carrier of a lane, as a process of the built program. It is
// managed like any user's simulator, and can be killed and restarted.
type carrierProcess struct {
	flags []string
	state string // the file with its state; "" for none

	mu                         sync.Mutex
	current                    *process // the current process, or the last one
	address, managementAddress string   // its addresses, which change with each process
}

// startCarrier starts the carrier of a lane, which completes everything immediately. It saves its
// state only if it will be restarted.
func startCarrier(of *lane) *carrierProcess {
	GinkgoHelper()
	with := withoutDelays(world.Seed())
	for _, extension := range of.extensions {
		with.Extensions = append(with.Extensions, string(extension))
	}
	seed, err := yaml.Marshal(with)
	Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(of.folder, "seed.yaml")
	Expect(os.WriteFile(file, seed, 0o600)).To(Succeed())
	c := &carrierProcess{
		flags: []string{"--seed=" + file, "--listen=127.0.0.1:0", "--management-listen=127.0.0.1:0"},
	}
	if of.fault == carrierKilled {
		c.state = filepath.Join(of.folder, "state.json")
		c.flags = append(c.flags, "--state="+c.state)
	}
	c.start()
	return c
}

// What the carrier has from the start, for changes that each need an order or a location of their
// own.
const (
	firstOrder = 70_001
	orders     = 200
	locations  = 100
)

func location(number int64) string { return fmt.Sprintf("LOC%012d", 500_000+number) }

func withoutDelays(seed simulator.Seed) simulator.Seed {
	seed.Delays = map[string]simulator.Duration{"default": 0}
	for id := range int64(orders) {
		seed.Orders = append(seed.Orders, simulator.PlacedOrder{ID: firstOrder + id, Client: world.ClientName})
	}
	for number := range int64(locations) {
		seed.FibreBuilds = append(seed.FibreBuilds, simulator.FibreBuild{
			LocationID: location(number), POIName: "Eastern Creek", PriceCents: 1234505,
		})
	}
	return seed
}

// start starts a process with the state that the one before has saved.
func (c *carrierProcess) start() {
	GinkgoHelper()
	log := &journal{}
	began := launch(log, simulatorProgram, c.flags...)
	serving, managing := log.address("carrier"), log.address("management")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current, c.address, c.managementAddress = began, serving, managing
}

// address returns the address that a server of the simulator has logged.
func (j *journal) address(server string) string {
	GinkgoHelper()
	pattern := regexp.MustCompile(`server=` + server + ` address=(\S+)`)
	Eventually(j.String).WithTimeout(timeout).Should(MatchRegexp(pattern.String()))
	return pattern.FindStringSubmatch(j.String())[1]
}

// kill ends the process with SIGKILL.
func (c *carrierProcess) kill() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current.end()
}

// origin returns the carrier's address for its clients.
func (*carrierProcess) origin() string { return "http://carrier.example" }

// RoundTrip forwards a call to the current process.
func (c *carrierProcess) RoundTrip(request *http.Request) (*http.Response, error) {
	forwarded := request.Clone(request.Context())
	c.mu.Lock()
	forwarded.URL.Host = c.address
	c.mu.Unlock()
	return http.DefaultTransport.RoundTrip(forwarded)
}

// AddService adds a service to the carrier's records.
func (c *carrierProcess) AddService(service simulator.Service) error {
	body, err := json.Marshal(service)
	if err != nil {
		return err
	}
	_, err = c.manage(http.MethodPost, "services", body)
	return err
}

// Forget makes the carrier forget all requests.
func (c *carrierProcess) Forget() error {
	_, err := c.manage(http.MethodPost, "forget", nil)
	return err
}

// SubmissionsAbout counts the carrier's submissions about a subject.
func (c *carrierProcess) SubmissionsAbout(operation simulator.Operation, subject string) (simulator.Count, error) {
	return read[simulator.Count](c, "submissions/"+string(operation)+"?subject="+url.QueryEscape(subject))
}

// Calls returns the carrier's journal.
func (c *carrierProcess) Calls() ([]simulator.Call, error) { return read[[]simulator.Call](c, "calls") }

// Violations returns the protocol rules that managers have broken.
func (c *carrierProcess) Violations() ([]simulator.Violation, error) {
	return read[[]simulator.Violation](c, "violations")
}

// read reads a list or a count from the carrier.
func read[T any](c *carrierProcess, what string) (shown T, err error) {
	content, err := c.manage(http.MethodGet, what, nil)
	if err != nil {
		return shown, err
	}
	err = json.Unmarshal(content, &shown)
	return shown, err
}

// manage calls the simulator's management API.
func (c *carrierProcess) manage(method, path string, body []byte) ([]byte, error) {
	c.mu.Lock()
	address := "http://" + c.managementAddress + "/_sim/" + path
	c.mu.Unlock()
	request, err := http.NewRequestWithContext(GinkgoT().Context(), method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(response.Body) //nolint:forbidigo // the simulator is ours, and its journal has no limit
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %d: %s", method, path, response.StatusCode, content)
	}
	return content, errors.Join(err, response.Body.Close())
}

// savedState shows how much a saved state contains.
type savedState struct {
	Journal struct {
		Calls struct {
			Values []json.RawMessage `json:"values"`
		} `json:"calls"`
	} `json:"journal"`
	Services map[string]json.RawMessage `json:"services"`
}

// awaitSaved waits until the carrier has saved its current state.
func (c *carrierProcess) awaitSaved(ctx context.Context) error {
	const often = 20 * time.Millisecond
	calls, callsErr := read[[]json.RawMessage](c, "calls")
	services, servicesErr := read[[]json.RawMessage](c, "services")
	if err := errors.Join(callsErr, servicesErr); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, often, timeout, true, func(context.Context) (bool, error) {
		kept, err := c.saved()
		return len(kept.Journal.Calls.Values) >= len(calls) && len(kept.Services) >= len(services), err
	})
}

// saved returns the state with which the next process starts.
func (c *carrierProcess) saved() (kept savedState, err error) {
	content, err := os.ReadFile(c.state)
	if errors.Is(err, fs.ErrNotExist) { // nothing has changed since the seed
		return savedState{}, nil
	}
	if err != nil {
		return savedState{}, err
	}
	err = json.Unmarshal(content, &kept)
	return kept, err
}
