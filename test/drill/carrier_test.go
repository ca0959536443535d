// SPDX-License-Identifier: Apache-2.0

package drill_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// carrierProcess is the simulated carrier of a lane, as a process of the built program. It is
// managed as any user of it would.
type carrierProcess struct {
	flags []string

	serving, managing string // its addresses
}

// startCarrier begins a carrier that does everything at once.
func startCarrier(folder string) *carrierProcess {
	GinkgoHelper()
	seed, err := yaml.Marshal(prompt(world.Seed()))
	Expect(err).NotTo(HaveOccurred())
	file := filepath.Join(folder, "seed.yaml")
	Expect(os.WriteFile(file, seed, 0o600)).To(Succeed())
	c := &carrierProcess{
		flags: []string{"--seed=" + file, "--listen=127.0.0.1:0", "--management-listen=127.0.0.1:0"},
	}
	c.start()
	return c
}

// What the carrier has from the start, for errands of which each needs one of its own.
const (
	firstOrder = 70_001
	orders     = 200
	locations  = 100
)

func location(number int64) string { return fmt.Sprintf("LOC%012d", 500_000+number) }

func prompt(seed simulator.Seed) simulator.Seed {
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

// start begins a process.
func (c *carrierProcess) start() {
	GinkgoHelper()
	log := &journal{}
	launch(log, simulatorProgram, c.flags...)
	c.serving, c.managing = log.address("carrier"), log.address("management")
}

// address is where a server of the simulator says that it listens.
func (j *journal) address(server string) string {
	GinkgoHelper()
	says := regexp.MustCompile(`server=` + server + ` address=(\S+)`)
	Eventually(j.String).WithTimeout(patience).Should(MatchRegexp(says.String()))
	return says.FindStringSubmatch(j.String())[1]
}

// origin is where clients believe the carrier to be.
func (*carrierProcess) origin() string { return "http://carrier.example" }

// RoundTrip passes a call on to the process that runs now.
func (c *carrierProcess) RoundTrip(request *http.Request) (*http.Response, error) {
	onward := request.Clone(request.Context())
	onward.URL.Host = c.serving
	return http.DefaultTransport.RoundTrip(onward)
}

// AddService puts a service into the carrier's books.
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

// SubmissionsAbout counts what the carrier has been asked for.
func (c *carrierProcess) SubmissionsAbout(operation simulator.Operation, subject string) (simulator.Count, error) {
	return show[simulator.Count](c, "submissions/"+string(operation)+"?subject="+url.QueryEscape(subject))
}

// Calls are the carrier's journal.
func (c *carrierProcess) Calls() ([]simulator.Call, error) { return show[[]simulator.Call](c, "calls") }

// Violations are the rules of the protocol that managers have broken.
func (c *carrierProcess) Violations() ([]simulator.Violation, error) {
	return show[[]simulator.Violation](c, "violations")
}

// show reads a list or a count of the carrier's.
func show[T any](c *carrierProcess, what string) (shown T, err error) {
	content, err := c.manage(http.MethodGet, what, nil)
	if err != nil {
		return shown, err
	}
	err = json.Unmarshal(content, &shown)
	return shown, err
}

// manage calls the simulator's own interface.
func (c *carrierProcess) manage(method, path string, body []byte) ([]byte, error) {
	address := "http://" + c.managing + "/_sim/" + path
	request, err := http.NewRequestWithContext(GinkgoT().Context(), method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(answer.Body) //nolint:forbidigo // the simulator is ours, and its journal has no limit
	if err == nil && answer.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %d: %s", method, path, answer.StatusCode, content)
	}
	return content, errors.Join(err, answer.Body.Close())
}
