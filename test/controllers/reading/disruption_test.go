// SPDX-License-Identifier: Apache-2.0

package reading_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// works are disruptions of an hour each, one a day; the first starts in firstIn hours.
func works(count, firstIn int) func(*simulator.Service) {
	return func(line *simulator.Service) {
		for i := range count {
			start := world.NewClock().Now().Add(time.Duration(firstIn+24*i) * time.Hour)
			end := start.Add(time.Hour)
			line.Disruptions = append(line.Disruptions, simulator.Disruption{
				ID: fmt.Sprintf("DIS%d/%d", firstIn, i), StartAt: start, EndAt: &end, Severity: "Major",
				Description: fmt.Sprintf("works %d/%d", firstIn, i),
			})
		}
	}
}

func outage(line *simulator.Service) {
	line.Disruptions = append(line.Disruptions, simulator.Disruption{
		ID: "OUT1", StartAt: world.NewClock().Now().Add(-time.Minute), Severity: "Critical", Description: "cable cut",
	})
}

// disruptionCase are the disruptions of a service, and how they are shown.
type disruptionCase struct {
	line              []func(*simulator.Service)
	account           func(*v1alpha1.CarrierAccount)
	active, scheduled int32
	current, next     string
}

var _ = Describe("Disrupted", func() {
	DescribeTable("counts the disruptions of the service",
		func(ctx SpecContext, scenario disruptionCase) {
			w, process := fixture.Begin(ctx, fixture.OrNoop(scenario.account))
			line := w.Line(append(scenario.line, fixture.OnFast)...)
			Expect(w.Create(ctx, w.Service(site, line, withIntervals("0", "0", "6h")))).To(Succeed())
			fixture.Elapse(ctx, w, process, 30*time.Minute)
			service := w.Read(ctx, site)
			fixture.ExpectReady(service, metav1.ConditionTrue, v1alpha1.ReasonInSync)
			seen := service.Status.Disruptions
			Expect(seen).NotTo(BeNil())
			Expect([]int32{seen.Active, seen.Scheduled}).To(Equal([]int32{scenario.active, scenario.scheduled}))
			Expect([]string{idOf(seen.Current), idOf(seen.Next)}).To(Equal([]string{scenario.current, scenario.next}))
			disrupted := fixture.Condition(service, v1alpha1.ConditionDisrupted)
			Expect(disrupted.Message).To(ContainSubstring(fmt.Sprintf("%d scheduled", scenario.scheduled)))
			if scenario.active == 0 {
				Expect(disrupted.Status).To(Equal(metav1.ConditionFalse))
				return
			}
			Expect(disrupted.Status).To(Equal(metav1.ConditionTrue))
			Expect(disrupted.Message).To(ContainSubstring(seen.Current.Description))
		},
		Entry("none", disruptionCase{}),
		Entry("scheduled works, of which the next one is shown", disruptionCase{
			line: []func(*simulator.Service){works(3, 30), works(1, 12)}, scheduled: 4, next: "DIS12/0",
		}),
		Entry("active ones, of which the newest is shown", disruptionCase{
			line: []func(*simulator.Service){outage, works(2, 0)}, active: 2, scheduled: 1, current: "DIS0/0", next: "DIS0/1",
		}),
		Entry("more than a page of them, and none that is over", disruptionCase{
			line: []func(*simulator.Service){works(230, -24*10), outage}, active: 2, scheduled: 219,
			current: "DIS-240/10", next: "DIS-240/11",
		}),
		Entry("at an account that allows one call at a time", disruptionCase{
			line: []func(*simulator.Service){works(130, 12)},
			account: func(a *v1alpha1.CarrierAccount) {
				a.Spec.RateLimit = v1alpha1.RateLimit{RequestsPerSecond: 1, Burst: 1}
			},
			scheduled: 130, next: "DIS12/0",
		}),
	)

	It("lists what kind the disruptions are of, and when they are", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.OnFast, works(2, 30), outage, func(line *simulator.Service) {
			for i, kind := range []string{"scheduled", "scheduled", "unscheduled"} {
				line.Disruptions[i].Type, line.Disruptions[i].Category = kind, "Network"
			}
		})
		Expect(w.Create(ctx, w.Service(site, line, withIntervals("0", "0", "6h")))).To(Succeed())
		fixture.Elapse(ctx, w, process, 30*time.Minute)
		seen := w.Read(ctx, site).Status.Disruptions
		Expect(seen.Truncated).To(BeFalse())
		shown := make([]string, 0, len(seen.Items))
		for _, item := range seen.Items {
			shown = append(shown, fmt.Sprint(item.ID, " ", item.Status, " ", item.Type, " ", item.Category, " ", item.Severity))
		}
		Expect(shown).To(Equal([]string{
			"OUT1 ACTIVE unscheduled Network Critical",
			"DIS30/0 SCHEDULED scheduled Network Major", "DIS30/1 SCHEDULED scheduled Network Major",
		}))
		Expect(seen.Items[0].EndAt.IsZero()).To(BeTrue(), "the end of an outage is not known")
		Expect(seen.Items[1].EndAt.Sub(seen.Items[1].StartAt.Time)).To(Equal(time.Hour))
		Expect(seen.Items[2].StartAt.Sub(seen.Items[1].StartAt.Time)).To(Equal(24 * time.Hour))
	})

	It("lists only the next ones, if there are many", func(ctx SpecContext) {
		w, process := fixture.Begin(ctx)
		line := w.Line(fixture.OnFast, works(130, 12), outage)
		Expect(w.Create(ctx, w.Service(site, line, withIntervals("0", "0", "6h")))).To(Succeed())
		fixture.Elapse(ctx, w, process, 30*time.Minute)
		seen := w.Read(ctx, site).Status.Disruptions
		Expect(seen.Scheduled).To(Equal(int32(130)))
		Expect(seen.Truncated).To(BeTrue())
		Expect(seen.Items).To(HaveLen(20))
		Expect([]string{seen.Items[0].ID, seen.Items[1].ID, seen.Items[19].ID}).To(
			Equal([]string{"OUT1", "DIS12/0", "DIS12/18"}))
	})

	It("shows what was read of a carrier that returns the same page for ever", func(ctx SpecContext) {
		w := world.New(ctx, fixture.Plane)
		carrier := newRepeatingPages(w.URL)
		w.Login(ctx, func(a *v1alpha1.CarrierAccount) { a.Spec.BaseURL = carrier.url })
		process := w.Start(world.CrashPoint{})
		_, err := process.ReconcileAccount(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(w.Create(ctx,
			w.Service(site, w.Line(fixture.OnFast, works(230, 12)), withIntervals("0", "0", "6h")))).To(Succeed())
		fixture.Elapse(ctx, w, process, 7*time.Minute)
		seen := w.Read(ctx, site).Status.Disruptions
		Expect(seen).NotTo(BeNil())
		Expect(seen.Scheduled).To(Equal(int32(100)), "the disruptions of the page")
		Expect(carrier.calls.Load()).To(Equal(int64(2)), "pages")
		world.Figuresf("a carrier that returns the same page for ever: %d calls, and the disruptions of the page are shown",
			carrier.calls.Load())
	})

	It("changes when works begin and end", func(ctx SpecContext) {
		s := reconciledOnce(ctx, works(1, 12), withIntervals("0", "0", "20m"))
		status := func(service *v1alpha1.BroadbandService) metav1.ConditionStatus {
			return fixture.Condition(service, v1alpha1.ConditionDisrupted).Status
		}
		Expect(status(s.Read(ctx, site))).To(Equal(metav1.ConditionFalse))
		during := s.pass(ctx, 12*time.Hour+20*time.Minute)
		Expect(status(during)).To(Equal(metav1.ConditionTrue))
		Expect(during.Status.Disruptions.Current.EndAt.Time).To(BeTemporally("==", s.Clock.Now().Add(39*time.Minute)))
		after := s.pass(ctx, time.Hour)
		Expect(status(after)).To(Equal(metav1.ConditionFalse))
		fixture.ExpectReady(after, metav1.ConditionTrue, v1alpha1.ReasonInSync)
	})
})

func idOf(one *v1alpha1.Disruption) string {
	if one == nil {
		return ""
	}
	return one.ID
}

// repeatingPages is a carrier that ignores which page is asked for, and never says that it is the
// last.
type repeatingPages struct {
	url   string
	calls atomic.Int64 // of disruptions
}

func newRepeatingPages(behind string) *repeatingPages {
	target, err := url.Parse(behind)
	Expect(err).NotTo(HaveOccurred())
	r := &repeatingPages{}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(target)
			query := request.Out.URL.Query()
			query.Del("page")
			request.Out.URL.RawQuery = query.Encode()
		},
		ModifyResponse: func(response *http.Response) error {
			if !strings.HasSuffix(response.Request.URL.Path, "/disruptions") {
				return nil
			}
			r.calls.Add(1)
			body, err := io.ReadAll(response.Body) //nolint:forbidigo // of our own simulator
			body = bytes.ReplaceAll(body, []byte(`"lastPage":true`), []byte(`"lastPage":false`))
			response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			response.Header.Set("Content-Length", strconv.Itoa(len(body)))
			return err
		},
	})
	DeferCleanup(server.Close)
	r.url = server.URL
	return r
}
