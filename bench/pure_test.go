// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"

	. "github.com/onsi/gomega"
)

func TestQuantiles(t *testing.T) {
	t.Parallel()
	g, hundred := NewWithT(t), make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(100-i) * time.Second
	}
	for share, want := range map[float64]time.Duration{
		0: time.Second, 0.5: 50 * time.Second, 0.99: 99 * time.Second, 0.999: 100 * time.Second, 1: 100 * time.Second,
	} {
		g.Expect(quantile(hundred, share)).To(Equal(want), "%g", share)
	}
	g.Expect(quantile(nil, 0.5)).To(BeZero())
	g.Expect(mean(hundred)).To(Equal(50500 * time.Millisecond))
	g.Expect(mean(nil)).To(BeZero())
	g.Expect(ratio(3, 2)).To(Equal(1.5))
	g.Expect(math.IsNaN(ratio(3, 0))).To(BeTrue())
}

func TestTimesAreLognormalAndTheSameForEverybody(t *testing.T) {
	t.Parallel()
	g, all := NewWithT(t), spread()
	var logs, squares float64
	const services = 5000
	for service := range int64(services) {
		took := all.of(simulator.OpPlanChange, service)
		g.Expect(took).To(Equal(spread().of(simulator.OpPlanChange, service)))
		g.Expect(took).To(BeNumerically("<=", 3*time.Minute))
		log := math.Log(took.Seconds() / 30)
		logs, squares = logs+log, squares+log*log
	}
	g.Expect(logs/services).To(BeNumerically("~", 0, 0.05), "the median is 30 s")
	g.Expect(math.Sqrt(squares/services)).To(BeNumerically("~", 1, 0.05), "sigma, little of which is cut")
	g.Expect(all.of(simulator.OpHealth, 1)).To(Equal(2 * time.Second))
}

func TestTrafficIsCountedFromTheJournal(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, time.March, 2, 9, 0, 0, 0, time.UTC)
	call := func(after time.Duration, method string, status int, edits ...func(*simulator.Call)) simulator.Call {
		made := simulator.Call{
			Time: began.Add(after), Method: method, Operation: simulator.OpPlanChange, Status: status, ServiceID: 7,
			RequestID: "r", Accepted: status == http.StatusCreated,
		}
		for _, edit := range edits {
			edit(&made)
		}
		return made
	}
	lostResponse := func(c *simulator.Call) { c.Accepted, c.RequestID = true, "lost" }
	got := trafficOf([]simulator.Call{
		call(0, http.MethodPost, http.StatusOK, func(c *simulator.Call) { c.Operation = simulator.OpToken }),
		call(time.Second, http.MethodPost, 0, lostResponse),
		call(2*time.Second, http.MethodPost, http.StatusCreated),
		call(3*time.Second, http.MethodPost, http.StatusUnprocessableEntity),
		call(4*time.Second, http.MethodGet, http.StatusAccepted),
		call(15*time.Second, http.MethodGet, http.StatusOK),
		call(16*time.Second, http.MethodGet, http.StatusOK),
	}, constant(0, 10*time.Second))
	g := NewWithT(t)
	g.Expect(got.calls()).To(Equal(6), "without the login")
	g.Expect(got.posts).To(And(HaveLen(1), HaveKeyWithValue(simulator.OpPlanChange, 3)))
	g.Expect(got.polls).To(And(HaveLen(1), HaveKeyWithValue(simulator.OpPlanChange, 3)))
	g.Expect(got.duplicates()).To(Equal(1), "it was carried out before its response was lost")
	g.Expect(got.refused).To(Equal(1))
	g.Expect(got.posted[7]).To(Equal(began.Add(time.Second)))
	g.Expect(got.lastLost).To(Equal(began.Add(time.Second)))
	g.Expect(got.lateness[simulator.OpPlanChange]).To(Equal([]time.Duration{3 * time.Second}), "the first result counts")
}

func TestFiguresAreJudged(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	for _, test := range []struct {
		judged         judgement
		values         map[string]float64
		goal           float64
		shown, wantMet string
	}{
		{most, map[string]float64{product: 5.004}, 5, "5.00", "yes"},
		{most, map[string]float64{product: 5.02}, 5, "5.02", "no"},
		{perLimit, map[string]float64{product: 30, limitName: 20}, 1.5, "1.50", "yes"},
		{perLimit, map[string]float64{product: 31, limitName: 20}, 1.5, "1.55", "no"},
		{perNaive, map[string]float64{product: 4, naiveName: 10}, 2.5, "2.50", "yes"},
		{perNaive, map[string]float64{product: 4, naiveName: 8}, 2.5, "2.00", "no"},
		{perNaive, map[string]float64{product: 4}, 2.5, "0.00", "no"},
	} {
		got := row{judged: test.judged, goal: test.goal}.judge(test.values)
		g.Expect([]string{got.Judged, got.Met}).To(Equal([]string{test.shown, test.wantMet}), "%+v", test)
	}
	unjudged := row{goal: math.NaN()}.judge(map[string]float64{product: 1})
	g.Expect(unjudged).To(Equal(figure{Product: "1.00", Naive: "–", Limit: "–"}))
}

func TestAScenarioIsScaled(t *testing.T) {
	t.Parallel()
	small := scenario{Services: 300, WarmUp: 100, Changes: 200, Lost: 10}.scale(0.02)
	NewWithT(t).Expect(small).To(Equal(scenario{Services: 28, WarmUp: 24, Changes: 4, Lost: 1}))
}

func TestHalfOfARoundTripPassesBeforeACallAndHalfBeforeItsResponse(t *testing.T) {
	t.Parallel()
	g, began := NewWithT(t), now()
	var arrived time.Time
	handler := delayed(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		arrived = now()
		_, err := w.Write([]byte("done"))
		g.Expect(err).NotTo(HaveOccurred())
	}), 40*time.Millisecond, func() bool { return true })
	got := httptest.NewRecorder()
	handler.ServeHTTP(got, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	g.Expect(arrived.Sub(began)).To(BeNumerically(">=", 20*time.Millisecond))
	g.Expect(now().Sub(arrived)).To(BeNumerically(">=", 20*time.Millisecond))
	g.Expect(got.Body.String()).To(Equal("done"))
}

func TestAPlotHasALineForEachContestant(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	results := []result{
		{scenario: burst, contestant: product, done: []time.Duration{2 * time.Second, time.Second}},
		{scenario: burst, contestant: naiveName, done: []time.Duration{3 * time.Second}},
		{scenario: burst, contestant: limitName},
		{scenario: slow, contestant: product, done: []time.Duration{time.Second}},
	}
	curves := curvesOf(results, burst, func(r *result) []time.Duration { return r.done })
	g.Expect(curves).To(HaveLen(2))
	points := curves[0].points()
	g.Expect(points).To(HaveLen(3))
	g.Expect([]float64{points[1].X, points[1].Y, points[2].X, points[2].Y}).To(Equal([]float64{1, 50, 2, 100}))
	var picture bytes.Buffer
	g.Expect(drawCurves(&picture, "a title", curves)).To(Succeed())
	g.Expect(picture.String()).To(And(HavePrefix("<?xml"), ContainSubstring("a title"), ContainSubstring("#0072B2"),
		ContainSubstring("#D55E00"), Not(ContainSubstring("#5A5A5A"))))
}

func TestThePageShowsTheFiguresAndThePlots(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	results := []result{{
		scenario: burst, contestant: product, changes: 2, took: 3 * time.Second, done: []time.Duration{3 * time.Second},
		traffic: trafficOf(nil, nil), writes: map[string]int{"update x": 10},
	}}
	file := filepath.Join(t.TempDir(), "performance.md")
	g.Expect(writePage(file, page{
		Figures: figures(results), Results: results, Scenarios: scenarios(), Missing: []scenario{{Name: slow}, {Name: kills}},
	})).To(Succeed())
	text, err := os.ReadFile(file) //nolint:gosec // in the folder of the test
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(And(
		ContainSubstring("| burst | writes per change | 5.00 | – | – | ≤ 5 | 5.00 | yes |\n"),
		ContainSubstring("](performance/burst-done.svg)"), Not(ContainSubstring("rate-done.svg")),
		ContainSubstring("| idle | 1000 |"), ContainSubstring("\n\nThis run does not have the scenarios slow, kills.\n\n")))
	g.Expect(filepath.Join(strings.TrimSuffix(file, ".md"), "burst-done.svg")).To(BeARegularFile())
}
