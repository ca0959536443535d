// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// widest is how many columns a terminal has.
const widest = 100

// What differs from run to run in what kubectl prints.
var (
	ages    = regexp.MustCompile(`\b\d+(s|m|m\d+s|h|d)$`)
	ports   = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	numbers = regexp.MustCompile(`\b\d{7,}\b`)
	sums    = regexp.MustCompile(`-[0-9a-f]{32}\b`)
)

// plainly is what kubectl has printed, without what differs from run to run. Columns keep their
// widths.
func plainly(w *world.World, printed string) string {
	printed = strings.ReplaceAll(printed, w.Namespace, strings.Repeat("n", len(w.Namespace)))
	printed = ports.ReplaceAllString(printed, "https://carrier.example")
	printed = sums.ReplaceAllString(printed, "-"+strings.Repeat("0", 32))
	lines := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	for i, line := range lines {
		line = numbers.ReplaceAllStringFunc(line, func(id string) string { return strings.Repeat("0", len(id)) })
		lines[i] = ages.ReplaceAllString(strings.TrimRight(line, " "), "1s")
	}
	return strings.Join(lines, "\n") + "\n"
}

// expectGolden holds what was printed against a file, or writes that where GOLDEN is set.
func expectGolden(name, printed string) {
	GinkgoHelper()
	file := filepath.Join("testdata", name+".golden")
	if os.Getenv("GOLDEN") != "" {
		Expect(os.MkdirAll("testdata", 0o750)).To(Succeed())
		Expect(os.WriteFile(file, []byte(printed), 0o600)).To(Succeed())
	}
	wanted, err := os.ReadFile(file) //nolint:gosec // the name is the test's own
	Expect(err).NotTo(HaveOccurred())
	Expect(printed).To(Equal(string(wanted)), "make it anew with GOLDEN=1, and look at the difference")
	for line := range strings.Lines(printed) {
		Expect(utf8.RuneCountInString(strings.TrimRight(line, "\n"))).To(BeNumerically("<=", widest), line)
	}
}

var _ = Describe("kubectl get", func() {
	It("shows each kind in a hundred columns", func(ctx SpecContext) {
		w, process := begin(ctx)
		create := func(objects ...client.Object) {
			for _, object := range objects {
				Expect(w.Create(ctx, object)).To(Succeed())
			}
		}
		create(w.Service("site-changed", w.Line()), w.Service("site-waits", w.Line(), asking, dearer),
			w.Service("site-under-way", w.Line()), w.Service("site-unknown", 4711),
			w.Service("site-leaves", w.Line(holding(stateRequested, pendingDate)), endOn(pendingDate)))
		for _, name := range []string{"site-changed", "site-waits", "site-leaves"} {
			process.Drive(ctx, name)
		}
		for range 3 {
			_, err := process.Look(ctx, "site-unknown")
			Expect(err).NotTo(HaveOccurred())
		}
		for w.Read(ctx, "site-under-way").OpenRequest() == nil {
			result, err := process.Look(ctx, "site-under-way")
			Expect(err).NotTo(HaveOccurred())
			w.Clock.Advance(result.RequeueAfter)
		}
		create(w.Order("site-new", reference), w.Order("site-asked", "SITE-015", func(order *v1alpha1.ServiceOrder) {
			order.Spec.Approval = v1alpha1.ApprovalAlways
		}))
		process.DriveOrder(ctx, "site-new")
		process.DriveOrder(ctx, "site-asked")
		create(w.Appointment("visit"), w.Test("port-reset", w.Line()), w.Query("offers", w.Line()),
			w.Quote("trench", world.QualifiedSite))
		process.DriveAppointment(ctx, "visit")
		for _, shot := range []world.Shot{
			{Kind: "DiagnosticTest", Name: "port-reset"},
			{Kind: "PlanOptionsQuery", Name: "offers"},
			{Kind: "FibreBuildQuote", Name: "trench"},
		} {
			process.DriveAt(ctx, shot)
		}

		var printed strings.Builder
		for _, kind := range []string{"cacct", "bbs", "sorder", "appt", "dtest", "poq", "fbq"} {
			table, err := plane.Kubectl("-n", w.Namespace, "get", kind)
			Expect(err).NotTo(HaveOccurred())
			printed.WriteString("$ kubectl get " + kind + "\n" + plainly(w, table) + "\n")
		}
		expectGolden("get", printed.String())
	})
})

// asking has each change approved.
func asking(service *v1alpha1.BroadbandService) { service.Spec.Approval = v1alpha1.ApprovalAlways }

// dearer asks for the dearer SLA, too.
func dearer(service *v1alpha1.BroadbandService) { service.Spec.RestorationSLA = world.SLAFast }
