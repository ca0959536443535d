package simulator

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// LoadSeed reads a seed in YAML. Unknown fields, contradictory values, and keys that are not RSA
// public keys are errors that name the place.
func LoadSeed(r io.Reader) (Seed, error) {
	const maxBytes = 64 << 20 // enough for a hundred thousand services
	text, err := readBounded(nil, r, maxBytes)
	if err != nil {
		return Seed{}, fmt.Errorf("read seed: %w", err)
	}
	var seed Seed
	if err := yaml.UnmarshalStrict(text, &seed); err != nil {
		return Seed{}, fmt.Errorf("parse seed: %w", err)
	}
	if err := seed.Validate(); err != nil {
		return Seed{}, err
	}
	return seed, nil
}

// Validate reports everything in the seed that could not be simulated.
func (s *Seed) Validate() error {
	return errors.Join(
		s.checkSettings(), s.checkDelays(), s.checkEvents(), s.checkClients(), s.checkOffers(), s.checkServices(),
		s.checkSites(),
	)
}

// oneOf reports a text that is neither empty nor one of the allowed ones.
func oneOf[T ~string](name string, text T, allowed ...T) error {
	if text == "" || slices.Contains(allowed, text) {
		return nil
	}
	return fmt.Errorf("%s: %q is not one of %q", name, text, allowed)
}

func (s *Seed) checkSettings() error {
	problems := []error{
		oneOf("location", s.Location, LocationAbsolute, LocationPath, LocationMixed),
	}
	for _, name := range s.Extensions {
		problems = append(problems, oneOf("extensions", name, extensions()...))
	}
	if _, err := time.LoadLocation(s.TimeZone); err != nil {
		problems = append(problems, fmt.Errorf("timeZone: %w", err))
	}
	if s.ServiceRead.Lag < 0 {
		problems = append(problems, errors.New("serviceRead.lag: must not be negative"))
	}
	return errors.Join(problems...)
}

func (s *Seed) checkDelays() error {
	var problems []error
	for operation, delay := range s.Delays {
		if operation != defaultDelayKey && !knownOperation(Operation(operation)) {
			problems = append(problems, fmt.Errorf("delays: there is no operation %q", operation))
		}
		if delay < 0 {
			problems = append(problems, fmt.Errorf("delays.%s: must not be negative", operation))
		}
	}
	return errors.Join(problems...)
}

func (s *Seed) checkEvents() error {
	problems := []error{oneOf("events.form", s.Events.Form, EventsOfSpecification, EventsInHeaders, EventsMixed)}
	if s.Events.Attempts < 0 || s.Events.Attempts > maxAttempts || s.Events.Backoff < 0 {
		problems = append(problems, fmt.Errorf("events: attempts is 0 to %d and backoff not negative", maxAttempts))
	}
	if err := CheckCallback(s.Events.Callback); err != nil {
		problems = append(problems, fmt.Errorf("events.callback: %w", err))
	}
	return errors.Join(problems...)
}

func (s *Seed) checkClients() error {
	var problems []error
	names := make(map[string]bool, len(s.Clients))
	for i := range s.Clients {
		client := &s.Clients[i]
		if client.Name == "" || client.Realm == "" {
			problems = append(problems, fmt.Errorf("clients[%d]: name and realm are required", i))
		}
		if names[client.Name] {
			problems = append(problems, fmt.Errorf("clients[%d]: a second client %q", i, client.Name))
		}
		names[client.Name] = true
		if err := client.check(); err != nil {
			problems = append(problems, fmt.Errorf("clients[%d].%w", i, err))
		}
	}
	return errors.Join(problems...)
}

// check validates the fields of one client.
func (c *Client) check() error {
	for _, operation := range c.Denied {
		if !knownOperation(operation) {
			return fmt.Errorf("denied: there is no operation %q", operation)
		}
	}
	if err := CheckCallback(c.Callback); err != nil {
		return fmt.Errorf("callback: %w", err)
	}
	if _, err := parseKeys(c.Keys); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}

func (s *Seed) checkOffers() error {
	var problems []error
	for i := range s.Plans {
		plan := &s.Plans[i]
		if plan.Name == "" {
			problems = append(problems, fmt.Errorf("plans[%d]: name is required", i))
		}
		problems = append(problems, checkPrices(plan.Name, &plan.Price, plan.NFASFee))
		for _, option := range plan.NTDOptions {
			problems = append(problems, checkPrices(plan.Name+"."+option.Option, &option.Price))
		}
	}
	for i := range s.SLAs {
		if s.SLAs[i].Name == "" {
			problems = append(problems, fmt.Errorf("slas[%d]: name is required", i))
		}
		problems = append(problems, checkPrices(s.SLAs[i].Name, &s.SLAs[i].Price))
	}
	return errors.Join(problems...)
}

// amountForm is the format of a Money amount: a decimal with two places (spec §2).
var amountForm = regexp.MustCompile(`^\d+\.\d{2}$`)

// checkPrices reports amounts in another format. A nil price has no amounts.
func checkPrices(of string, prices ...*Price) error {
	var problems []error
	for _, price := range prices {
		if price == nil {
			continue
		}
		for _, text := range []string{price.OneTime, price.Monthly} {
			if text != "" && !amountForm.MatchString(text) {
				problems = append(problems, fmt.Errorf("price of %s: %q is not a decimal with two places", of, text))
			}
		}
	}
	return errors.Join(problems...)
}

func (s *Seed) checkServices() error {
	var problems []error
	seen := make(map[int64]bool, len(s.Services))
	for i := range s.Services {
		service := &s.Services[i]
		if service.ID <= 0 || seen[service.ID] {
			problems = append(problems, fmt.Errorf("services[%d]: id %d is not a new positive number", i, service.ID))
		}
		seen[service.ID] = true
		owned := slices.ContainsFunc(s.Clients, func(c Client) bool { return c.Name == service.Client })
		if !owned {
			problems = append(problems, fmt.Errorf("services[%d]: there is no client %q", i, service.Client))
		}
		problems = append(problems, service.checkOutcomes())
		if err := service.Cancellation.check(); err != nil {
			problems = append(problems, fmt.Errorf("services[%d].cancellation: %w", i, err))
		}
	}
	return errors.Join(problems...)
}

func (s *Service) checkOutcomes() error {
	outcomes := []Outcome{OutcomeFails, OutcomeStalls, OutcomeTimesOut}
	for operation, outcome := range s.Outcomes {
		if !knownOperation(Operation(operation)) || !slices.Contains(outcomes, outcome) {
			return fmt.Errorf("service %d: outcomes.%s: %q", s.ID, operation, outcome)
		}
	}
	return nil
}

func (c *Cancellation) check() error {
	if c == nil {
		return nil
	}
	states := cancellationStates()
	if !slices.Contains(states, c.Status) {
		return fmt.Errorf("status %q is not one of %s", c.Status, strings.Join(states, ", "))
	}
	if _, err := time.Parse(time.DateOnly, c.RequestDate); err != nil {
		return fmt.Errorf("requestDate: %w", err)
	}
	return nil
}

// checkSites validates the data for orders and quotes.
func (s *Seed) checkSites() error {
	var problems []error
	for i, build := range s.FibreBuilds {
		if !locationForm.MatchString(build.LocationID) {
			problems = append(problems, fmt.Errorf("fibreBuilds[%d]: locationId is LOC and 12 digits", i))
		}
	}
	for i := range s.Qualifications {
		if err := s.Qualifications[i].check(); err != nil {
			problems = append(problems, fmt.Errorf("qualifications[%d]: %w", i, err))
		}
	}
	return errors.Join(problems...)
}

func (q *Qualification) check() error {
	problems := []error{checkPrices(
		q.QualificationSearchID, &q.SubsequentInstallationCharge, q.NTDInstallationFee, q.NewDevelopmentsCharge,
		q.TechnicianFee,
	)}
	if q.LocationID == "" || q.QualificationSearchID == "" {
		problems = append(problems, errors.New("qualificationSearchId and locationId are required"))
	}
	for _, infra := range q.Infrastructures {
		for _, port := range infra.Ports {
			problems = append(problems, checkPrices(infra.ID, &port.TransferFee))
			if err := port.checkPair(); err != nil {
				problems = append(problems, fmt.Errorf("%s: port %d: %w", infra.ID, port.ID, err))
			}
		}
	}
	return errors.Join(problems...)
}

// checkPair applies scenario 8: at most one of serviceStatus and copperPairStatus may be set.
func (p *Port) checkPair() error {
	if p.ServiceStatus != "" && p.CopperPairStatus != "" {
		return errors.New("serviceStatus and copperPairStatus exclude each other")
	}
	return errors.Join(
		oneOf("serviceStatus", p.ServiceStatus, lineInUse, "Line Not In Use"),
		oneOf("copperPairStatus", p.CopperPairStatus, pairActive, "Inactive"),
	)
}
