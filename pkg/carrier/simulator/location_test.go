package simulator_test

import (
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// TestLocationForms checks the forms of the Location header that a seed can select.
func TestLocationForms(t *testing.T) {
	absolute, path := "http://127.0.0.1:", "/api/connect/services/health/requests/"
	forms := []struct {
		form  simulator.LocationForm
		wants []string
	}{
		{simulator.LocationAbsolute, []string{absolute, absolute}},
		{simulator.LocationPath, []string{path, path}},
		{simulator.LocationMixed, []string{absolute, path}},
	}
	for _, c := range forms {
		h := start(t, func(s *simulator.Seed) { s.Location, s.FirstRequestID = c.form, 1 })
		for _, want := range c.wants {
			if got := h.post(health, serviceBody(fttp)).header.Get("Location"); !strings.HasPrefix(got, want) {
				t.Errorf("%s: Location %q", c.form, got)
			}
		}
	}
}

// TestIDsAreLargeAndHaveGaps checks that IDs do not fit a float64 and cannot be guessed from one
// another.
func TestIDsAreLargeAndHaveGaps(t *testing.T) {
	h := start(t)
	first, second := h.post(health, serviceBody(fttp)).created(), h.post(health, serviceBody(fttp)).created()
	if !strings.HasSuffix(first, "/9007199254740993") || strings.HasSuffix(second, "/9007199254740994") {
		t.Errorf("%s, %s", first, second)
	}
}

// TestResponsesHaveAnUnknownFieldUnlessExact checks the field that no client knows.
func TestResponsesHaveAnUnknownFieldUnlessExact(t *testing.T) {
	h := start(t, func(s *simulator.Seed) { s.ExactReplies = false })
	if got := h.get(cancellation(fttp)); !strings.Contains(got.body, "_undocumented") || got.json() == nil {
		t.Error(got.body)
	}
}
