package simulator

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Defaults for values that a seed omits.
const (
	wholesaleSource     = "wholesale"
	defaultTechnology   = "FTTP"
	defaultTrafficClass = "TC4"
	defaultDelay        = 3 * time.Second
	defaultExpiresIn    = 300 * time.Second // spec §8
	defaultFirstID      = 1<<53 + 1         // not representable as a float64
	defaultDelayKey     = "default"
	standardWord        = "Standard" // a profile, a lead time and an SLA
)

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

// parseKeys parses keys in PEM.
func parseKeys(texts map[string]string) (parsedKeys, error) {
	keys := make(parsedKeys, len(texts))
	for kid, text := range texts {
		key, err := jwt.ParseRSAPublicKeyFromPEM([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kid, err)
		}
		keys[kid] = key
	}
	return keys, nil
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

// withDefaults returns the service with defaults for all ids and texts that the seed omits.
func withDefaults(s Service) Service {
	s.SourceType = cmp.Or(s.SourceType, wholesaleSource)
	s.TechnologyType = cmp.Or(s.TechnologyType, defaultTechnology)
	s.TrafficClass = cmp.Or(s.TrafficClass, defaultTrafficClass)
	s.AggregationMethod = cmp.Or(s.AggregationMethod, "L2TP")
	s.DSLStabilityProfile = cmp.Or(s.DSLStabilityProfile, standardWord)
	s.WholesaleServiceID = cmp.Or(s.WholesaleServiceID, fmt.Sprintf("WSI%012d", s.ID))
	s.LocationID = cmp.Or(s.LocationID, fmt.Sprintf("LOC%012d", s.ID))
	s.PRIID = cmp.Or(s.PRIID, fmt.Sprintf("PRI%012d", s.ID))
	if s.AVCID == nil {
		avc := fmt.Sprintf("AVC%012d", s.ID)
		s.AVCID = &avc
	}
	if s.Term == 0 {
		s.Term = 1
	}
	return s
}
