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

// maxSeedBytes limits a seed file. It is enough for a hundred thousand services.
const maxSeedBytes = 64 << 20

// LoadSeed reads a seed in YAML. Unknown fields, contradictory values, and keys that are not RSA
// public keys are errors that name the place.
func LoadSeed(r io.Reader) (Seed, error) {
	text, err := readBounded(r, maxSeedBytes)
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
	problems := slices.Concat(
		s.checkSettings(), s.checkEvents(), s.checkClients(), s.checkOffers(), s.checkServices(), s.checkSites(),
	)
	return errors.Join(problems...)
}

func (s *Seed) checkSettings() []error {
	var problems []error
	if _, err := time.LoadLocation(s.TimeZone); err != nil {
		problems = append(problems, fmt.Errorf("timeZone: %w", err))
	}
	forms := []LocationForm{"", LocationAbsolute, LocationPath, LocationMixed}
	if !slices.Contains(forms, s.Location) {
		problems = append(problems, fmt.Errorf("location: %q is not one of %q", s.Location, forms[1:]))
	}
	refusals := []Refusal{"", RefuseOnSubmit, RefuseOnRead}
	if !slices.Contains(refusals, s.UnknownPlan) {
		problems = append(problems, fmt.Errorf("unknownPlan: %q is not one of %q", s.UnknownPlan, refusals[1:]))
	}
	return slices.Concat(problems, s.checkExtensions(), s.checkDelays())
}

func (s *Seed) checkExtensions() []error {
	var problems []error
	for _, name := range s.Extensions {
		if !slices.Contains(extensions(), name) {
			problems = append(problems, fmt.Errorf("extensions: %q is not one of %q", name, extensions()))
		}
	}
	forms := []ModificationsForm{"", ModificationsList, ModificationsObject, ModificationsText}
	if !slices.Contains(forms, s.ServiceRead.Modifications) || s.ServiceRead.Lag < 0 {
		problems = append(problems, fmt.Errorf("serviceRead: modifications is one of %q and lag is not negative", forms[1:]))
	}
	return problems
}

func (s *Seed) checkDelays() []error {
	var problems []error
	for operation, delay := range s.Delays {
		if operation != defaultDelayKey && !knownOperation(Operation(operation)) {
			problems = append(problems, fmt.Errorf("delays: there is no operation %q", operation))
		}
		if delay < 0 {
			problems = append(problems, fmt.Errorf("delays.%s: must not be negative", operation))
		}
	}
	return problems
}

func (s *Seed) checkEvents() []error {
	var problems []error
	forms := []EventForm{"", EventsOfSpecification, EventsInHeaders, EventsMixed}
	if !slices.Contains(forms, s.Events.Form) {
		problems = append(problems, fmt.Errorf("events.form: %q is not one of %q", s.Events.Form, forms[1:]))
	}
	if s.Events.Attempts < 0 || s.Events.Attempts > maxAttempts || s.Events.Backoff < 0 {
		problems = append(problems, fmt.Errorf("events: attempts is 0 to %d and backoff not negative", maxAttempts))
	}
	if err := CheckCallback(s.Events.Callback); err != nil {
		problems = append(problems, fmt.Errorf("events.callback: %w", err))
	}
	return problems
}

func (s *Seed) checkClients() []error {
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
	return problems
}

// check validates a client's own row.
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

func (s *Seed) checkOffers() []error {
	var problems []error
	for i := range s.Plans {
		plan := &s.Plans[i]
		if plan.Name == "" {
			problems = append(problems, fmt.Errorf("plans[%d]: name is required", i))
		}
		problems = append(problems, checkPrice(plan.Name, plan.Price)...)
		if plan.NFASFee != nil {
			problems = append(problems, checkPrice(plan.Name+".nfasFee", *plan.NFASFee)...)
		}
		for _, option := range plan.NTDOptions {
			problems = append(problems, checkPrice(plan.Name+"."+option.Option, option.Price)...)
		}
	}
	for i := range s.SLAs {
		if s.SLAs[i].Name == "" {
			problems = append(problems, fmt.Errorf("slas[%d]: name is required", i))
		}
		problems = append(problems, checkPrice(s.SLAs[i].Name, s.SLAs[i].Price)...)
	}
	return problems
}

// amountForm is the format of a Money amount: a decimal with two places (spec §2).
var amountForm = regexp.MustCompile(`^\d+\.\d{2}$`)

func checkPrice(of string, price Price) []error {
	var problems []error
	for _, text := range []string{price.OneTime, price.Monthly} {
		if text != "" && !amountForm.MatchString(text) {
			problems = append(problems, fmt.Errorf("price of %s: %q is not a decimal with two places", of, text))
		}
	}
	return problems
}

func (s *Seed) checkServices() []error {
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
		problems = append(problems, service.checkOutcomes()...)
		if err := service.Cancellation.check(); err != nil {
			problems = append(problems, fmt.Errorf("services[%d].cancellation: %w", i, err))
		}
	}
	return problems
}

func (s *Service) checkOutcomes() []error {
	var problems []error
	outcomes := []Outcome{OutcomeFails, OutcomeStalls, OutcomeTimesOut}
	for operation, outcome := range s.Outcomes {
		if !knownOperation(Operation(operation)) || !slices.Contains(outcomes, outcome) {
			problems = append(problems, fmt.Errorf("service %d: outcomes.%s: %q", s.ID, operation, outcome))
		}
	}
	return problems
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
func (s *Seed) checkSites() []error {
	var problems []error
	for i, build := range s.FibreBuilds {
		if !locationForm.MatchString(build.LocationID) {
			problems = append(problems, fmt.Errorf("fibreBuilds[%d]: locationId is LOC and 12 digits", i))
		}
	}
	for i := range s.Qualifications {
		site := &s.Qualifications[i]
		if site.LocationID == "" || site.QualificationSearchID == "" {
			problems = append(problems, fmt.Errorf("qualifications[%d]: qualificationSearchId and locationId are required", i))
		}
		problems = append(problems, site.checkPorts()...)
	}
	return problems
}

func (q *Qualification) checkPorts() []error {
	problems := checkPrice(q.QualificationSearchID, q.SubsequentInstallationCharge)
	for _, price := range []*Price{q.NTDInstallationFee, q.NewDevelopmentsCharge, q.TechnicianFee} {
		if price != nil {
			problems = append(problems, checkPrice(q.QualificationSearchID, *price)...)
		}
	}
	for _, infra := range q.Infrastructures {
		for _, port := range infra.Ports {
			problems = append(problems, checkPrice(infra.ID, port.TransferFee)...)
			if err := port.checkPair(); err != nil {
				problems = append(problems, fmt.Errorf("%s: port %d: %w", infra.ID, port.ID, err))
			}
		}
	}
	return problems
}

// checkPair applies scenario 8: at most one of serviceStatus and copperPairStatus may be set.
func (p *Port) checkPair() error {
	if p.ServiceStatus != "" && p.CopperPairStatus != "" {
		return errors.New("serviceStatus and copperPairStatus exclude each other")
	}
	if !slices.Contains([]string{"", lineInUse, "Line Not In Use"}, p.ServiceStatus) {
		return fmt.Errorf("serviceStatus: %q", p.ServiceStatus)
	}
	if !slices.Contains([]string{"", pairActive, "Inactive"}, p.CopperPairStatus) {
		return fmt.Errorf("copperPairStatus: %q", p.CopperPairStatus)
	}
	return nil
}
