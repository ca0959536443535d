package simulator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// speaking serves the simulator of a seed with abc for wholesale.
func speaking(t *testing.T, edits ...func(*simulator.Seed)) *world {
	t.Helper()
	w := start(t)
	planted := seed()
	for _, edit := range edits {
		edit(&planted)
	}
	w.sim = simulator.New(simulator.Options{Seed: planted, Now: w.clock, APIWord: "abc"})
	w.server.Config.Handler = w.sim.Handler()
	w.token = w.login("reseller")
	return w
}

// TestTheCarriersOwnWordStandsInIdentifiers reads it in each of its forms.
func TestTheCarriersOwnWordStandsInIdentifiers(t *testing.T) {
	w := speaking(t, manyDisruptions)
	quote := w.post(fibre, `{"locationId":"`+place+`"}`).created()
	line := w.post(diagnostics, test(fttp, "port-reset")).created()
	changed := w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.wait(10 * time.Second)
	sorted := fmt.Sprintf("/api/connect/services/%d/disruptions?sort=abcDisruptionId,ASC", fttp)
	ordered := w.post(orders, orderBody(map[string]any{"sourceType": "abc", "ntdInstallation": "abc-dispatch"}))
	for path, got := range map[[2]string]answer{
		{"abcLocationId", place}:             w.get(quote),
		{"plan sourceType", "abc"}:           w.get(changed),
		{"provider", "abc"}:                  ordered,
		{"installationType", "abc-dispatch"}: ordered,
		{"customerRef", "SITE-014"}:          ordered,
		{"number", "0"}:                      w.get(sorted),
	} {
		if value := fmt.Sprint(got.find(strings.Fields(path[0])...)); value != path[1] {
			t.Errorf("%s is %s, want %s: %s", path[0], value, path[1], got.body)
		}
	}
	if got := w.get(line); got.find("result", "result", "abc_test_id") == nil || strings.Contains(got.body, "wholesale") {
		t.Error(got.body)
	}
	if got := w.get(sorted).is(http.StatusOK); !strings.Contains(got.body, `"property":"abcDisruptionId"`) {
		t.Error(got.body)
	}
}

// TestTheSpecificationsWordIsForeignThen sends wholesale to a carrier that uses abc.
func TestTheSpecificationsWordIsForeignThen(t *testing.T) {
	w := speaking(t)
	got := w.post(orders, orderBody(map[string]any{"sourceType": "abc", "ntdInstallation": "wholesale-tech"}))
	got.refusedWith(422, invalid, "constraints.pattern ntdInstallation")
	if !strings.Contains(got.body, `"rejectedValue":"wholesale-tech"`) {
		t.Error(got.body)
	}
}

// TestFreeTextAndPathsKeepTheirWords uses free texts that begin with the word.
func TestFreeTextAndPathsKeepTheirWords(t *testing.T) {
	w := speaking(t, func(s *simulator.Seed) {
		s.Services[0].Health = simulator.Health{Summary: "wholesale-fault", AlertMessage: "wholesale"}
		s.Plans[1].Name = "wholesale"
	})
	ordered := w.post(orders, orderBody(map[string]any{
		"sourceType": "abc", "ntdInstallation": "abc-tech", "planName": "wholesale", "customerReference": "wholesale-7",
	})).is(http.StatusCreated)
	if ordered.text("customerRef") != "wholesale-7" || ordered.text("bandwidthProfile", "planName") != "wholesale" {
		t.Error(ordered.body)
	}
	outcome := w.post(health, about(fttp)).created()
	w.wait(10 * time.Second)
	got := w.get(outcome).is(http.StatusOK)
	if got.text("currentCondition", "summary") != "wholesale-fault" ||
		got.text("currentCondition", "alertMessage") != "wholesale" || got.text("abcServiceId") == "" {
		t.Error(got.body)
	}
}

// TestEventsSpeakTheWordToo reads an event of a carrier that uses abc.
func TestEventsSpeakTheWordToo(t *testing.T) {
	box := newInbox(t)
	w := speaking(t, sendsTo(box, ""))
	w.post(planChange, changeTo(fttp, "Fast", 1)).created()
	w.wait(10 * time.Second)
	w.deliver(1)
	body := answer{t: t, body: box.all()[0].body}
	if body.text("service", "abcServiceId") == "" || body.text("service", "sourceType") != "abc" {
		t.Error(body.body)
	}
}

// TestWordsThatCannotStandInIdentifiers refuses each.
func TestWordsThatCannotStandInIdentifiers(t *testing.T) {
	for _, word := range []string{"", "Abc", "1a", "a-b", "a b", "ä", strings.Repeat("a", 33)} {
		if simulator.CheckAPIWord(word) == nil {
			t.Errorf("%q was taken", word)
		}
	}
}
