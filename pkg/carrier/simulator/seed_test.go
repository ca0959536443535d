package simulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// document is a seed as a user writes it.
func document() string {
	indented := strings.ReplaceAll(strings.TrimSpace(publicPEM(key())), "\n", "\n      ")
	return `
location: Path
currency: {code: NZD, symbol: "$"}
token: {expiresIn: 1m, clockTolerance: 5s}
delays: {default: 2s, PlanChange: 1m30s}
clients:
- name: reseller
  realm: resale
  user: {id: 7, name: Ada, email: ada@example.com}
  keys:
    key-1: |
      ` + indented + `
plans:
- name: Fast
  terms: [1, 12]
  speedDown: 100
  speedUp: 20
  price: {oneTime: "10.00", monthly: "70.00"}
slas:
- name: Standard
  price: {monthly: "0.00"}
services:
- id: 1000001
  client: reseller
  plan: Fast
  health: {connectivity: Grey}
  cancellation: {status: REQUESTED, requestDate: "2026-12-24"}
`
}

// TestLoadSeed reads a seed as a user writes it.
func TestLoadSeed(t *testing.T) {
	got, err := simulator.LoadSeed(strings.NewReader(document()))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]simulator.Duration{
		"default": simulator.Duration(2 * time.Second), "PlanChange": simulator.Duration(90 * time.Second),
	}
	if diff := cmp.Diff(want, got.Delays); diff != "" {
		t.Error(diff)
	}
	if got.Plans[0].Price.Monthly != "70.00" || got.Services[0].Cancellation.Status != "REQUESTED" {
		t.Errorf("%+v", got)
	}
}

// TestErrorsOfSeedsNameThePlace breaks one thing of a seed at a time.
func TestErrorsOfSeedsNameThePlace(t *testing.T) {
	replace := func(old, with string) string { return strings.Replace(document(), old, with, 1) }
	cases := map[string]string{
		"unknown field \"hue\"":              document() + "hue: red\n",
		"not one of [\"Absolute\"":           replace("location: Path", "location: Relative"),
		"there is no operation \"Plan\"":     replace("PlanChange:", "Plan:"),
		"delays.PlanChange":                  replace("1m30s", "-1s"),
		"read duration":                      replace("1m30s", "soon"),
		"timeZone":                           document() + "timeZone: Mars/Olympus\n",
		"clients[0]: name and realm":         replace("name: reseller", "name: ''"),
		"clients[0].keys: key-1":             replace("BEGIN PUBLIC", "BEGIN PRIVATE"),
		"price of Fast: \"70\"":              replace("70.00", "70"),
		"services[0]: id 0":                  replace("id: 1000001", "id: 0"),
		"there is no client \"nobody\"":      replace("client: reseller", "client: nobody"),
		"status \"GONE\" is not one of":      replace("REQUESTED", "GONE"),
		"requestDate":                        replace("2026-12-24", "2026-02-30"),
		"a second client \"reseller\"":       replace("plans:\n", "- {name: reseller, realm: r, keys: {}}\nplans:\n"),
		"plans[1]: name is required":         replace("slas:\n", "- {speedDown: 1, speedUp: 1}\nslas:\n"),
		"slas[1]: name is required":          replace("services:\n", "- {price: {}}\nservices:\n"),
		"services[1]: id 1000001 is not new": document() + "- {id: 1000001, client: reseller, plan: Fast}\n",
	}
	for want, text := range cases {
		_, err := simulator.LoadSeed(strings.NewReader(text))
		want = strings.Replace(want, "is not new", "is not a new", 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestNewPanicsOnInvalidOptions checks that a programming error is found immediately.
func TestNewPanicsOnInvalidOptions(t *testing.T) {
	for name, options := range map[string]simulator.Options{
		"no clock": {}, "a bad seed": {Now: time.Now, Seed: simulator.Seed{TimeZone: "Mars"}}, //nolint:forbidigo // unused
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was accepted", name)
				}
			}()
			simulator.New(options)
		}()
	}
}
