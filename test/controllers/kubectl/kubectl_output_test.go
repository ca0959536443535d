// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// terminalWidth is the number of columns of a terminal.
const terminalWidth = 100

// linesAtRest is how many lines kubectl describe may print for a settled service after one change.
// 46 of these lines are the metadata, the spec and the three conditions.
const linesAtRest = 94

// The parts of kubectl's output that differ from run to run.
var (
	ages    = regexp.MustCompile(`\b\d+(s|m|m\d+s|h|d)$`)
	ports   = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	numbers = regexp.MustCompile(`\b\d{7,}\b`)
	sums    = regexp.MustCompile(`([-p])[0-9a-f]{32}\b`)
	ids     = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	times   = regexp.MustCompile(`(\d{4}-\d\d-\d\d[T ])\d\d:\d\d:\d\d(\.\d+)?`) // polls are spread by the objects' UIDs
	since   = regexp.MustCompile(`(?m)^\d+[smh0-9]* +((?:Normal|Warning) )`)
	server  = regexp.MustCompile(`((?:(?:Creation|Deletion) Timestamp|Resource Version): +).*`) // set by the API server
)

// normalized is the output of kubectl, without what differs from run to run. Columns keep their
// widths.
func normalized(w *world.World, printed string) string {
	first, rest, _ := strings.Cut(w.ClientName, "-")
	printed = strings.ReplaceAll(printed, w.ClientName, first+"-"+strings.Repeat("n", len(rest)))
	printed = strings.ReplaceAll(printed, w.Namespace, strings.Repeat("n", len(w.Namespace)))
	printed = ports.ReplaceAllString(printed, "https://carrier.example")
	printed = sums.ReplaceAllString(printed, "${1}"+strings.Repeat("0", 32))
	printed = ids.ReplaceAllString(printed, "00000000-0000-0000-0000-000000000000")
	printed = times.ReplaceAllString(printed, "${1}00:00:00")
	printed = since.ReplaceAllStringFunc(printed, func(start string) string {
		kind := since.ReplaceAllString(start, "${1}")
		return fmt.Sprintf("%-*s%s", len(start)-len(kind), "0s", kind)
	})
	printed = server.ReplaceAllString(printed, "${1}…")
	lines := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	for i, line := range lines {
		line = numbers.ReplaceAllStringFunc(line, func(id string) string { return strings.Repeat("0", len(id)) })
		lines[i] = ages.ReplaceAllString(strings.TrimRight(line, " "), "1s")
	}
	return strings.Join(lines, "\n") + "\n"
}

// expectGolden compares the output with a golden file, or writes that file if GOLDEN is set.
func expectGolden(name, printed string) {
	GinkgoHelper()
	file := filepath.Join("testdata", name+".golden")
	if os.Getenv("GOLDEN") != "" {
		Expect(os.MkdirAll("testdata", 0o750)).To(Succeed())
		Expect(os.WriteFile(file, []byte(printed), 0o600)).To(Succeed())
	}
	wanted, err := os.ReadFile(file) //nolint:gosec // the name is chosen by the test
	Expect(err).NotTo(HaveOccurred())
	Expect(cmp.Diff(string(wanted), printed)).To(BeEmpty(), "(-want +got) update it with GOLDEN=1 and review that")
	for line := range strings.Lines(printed) {
		expectFits(line)
	}
}

// expectFits expects that a line fits the width of a terminal.
func expectFits(line string) {
	GinkgoHelper()
	Expect(utf8.RuneCountInString(strings.TrimRight(line, "\n"))).To(BeNumerically("<=", terminalWidth), line)
}

var _ = Describe("kubectl", Ordered, func() {
	var (
		w       *world.World
		objects []string // printed in full
	)

	BeforeAll(func(ctx SpecContext) {
		w = oneOfEach(ctx)
		objects = append(printedObjects(), "ledger/"+w.Read(ctx, "site-leaves").Status.Ledger.Name)
	})

	It("get shows each kind", func(ctx SpecContext) {
		var printed strings.Builder
		for _, kind := range kinds() {
			named := []string(nil)
			if kind == "ledger" { // cluster-scoped, so only this world's are printed
				named = ledgerNames(ctx, w)
			}
			table, err := fixture.Plane.Kubectl(slices.Concat([]string{"-n", w.Namespace, "get", kind}, named)...)
			Expect(err).NotTo(HaveOccurred())
			printed.WriteString("$ kubectl get " + kind + "\n" + normalized(w, table) + "\n")
		}
		expectGolden("get", printed.String())
	})

	It("describe shows each kind", func() {
		var printed strings.Builder
		for _, object := range objects {
			text, err := fixture.Plane.Kubectl("-n", w.Namespace, "describe", object)
			Expect(err).NotTo(HaveOccurred())
			for line := range strings.Lines(text) {
				if !strings.HasPrefix(strings.TrimSpace(line), "Message:") { // a sentence may be longer
					expectFits(line)
				}
			}
			printed.WriteString(wrapped(normalized(w, "$ kubectl describe "+object+"\n"+text)) + "\n")
		}
		expectGolden("describe", printed.String())
	})

	It("describe shows of a request what a user can use, and the rest in the ledger alone", func() {
		for _, object := range slices.Concat(objects, []string{"bbs/site-under-way"}) {
			text, err := fixture.Plane.Kubectl("-n", w.Namespace, "describe", object)
			Expect(err).NotTo(HaveOccurred())
			switch kind, _, _ := strings.Cut(object, "/"); kind {
			case "ledger":
				Expect(text).To(And(ContainSubstring("Sender:"), ContainSubstring("Body Hash:")))
			case "appt": // has no ledger; the hash shows which order the slots are for
				Expect(text).NotTo(ContainSubstring("Sender:"))
			default:
				Expect(text).NotTo(Or(ContainSubstring("Sender:"), ContainSubstring("Body Hash:")), object)
			}
		}
		text, err := fixture.Plane.Kubectl("-n", w.Namespace, "describe", "bbs/site-changed")
		Expect(err).NotTo(HaveOccurred())
		Expect(strings.Count(text, "\n")).To(BeNumerically("<=", linesAtRest), text)
	})

	It("events shows the outcomes for each kind", func(ctx SpecContext) {
		w.PublishEvents(ctx)
		var printed strings.Builder
		for _, object := range objects {
			namespace := w.Namespace
			if strings.HasPrefix(object, "ledger/") {
				namespace = metav1.NamespaceDefault // has the Events of cluster-scoped objects
			}
			text, err := fixture.Plane.Kubectl("-n", namespace, "events", "--for", object)
			Expect(err).NotTo(HaveOccurred())
			columns, _, _ := strings.Cut(text, "MESSAGE")
			expectFits(columns)
			printed.WriteString(wrapped(normalized(w, "$ kubectl events --for "+object+"\n"+text)) + "\n")
		}
		expectGolden("events", printed.String())
	})
})

// kinds are the kinds, as people type them.
func kinds() []string {
	return []string{"cacct", "bbs", "sorder", "appt", "dtest", "poq", "fbq", "hcheck", "ledger"}
}

// wrapped wraps lines that are too long, as a terminal would.
func wrapped(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for utf8.RuneCountInString(line) > terminalWidth {
			runes := []rune(line)
			lines, line = append(lines, string(runes[:terminalWidth])), string(runes[terminalWidth:])
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.Join(lines, "\n") + "\n"
}

// ledgerNames returns the names of the ledgers of a world, sorted by what they are about.
func ledgerNames(ctx SpecContext, w *world.World) []string {
	GinkgoHelper()
	all := &v1alpha1.RequestLedgerList{}
	Expect(w.List(ctx, all)).To(Succeed())
	about := map[string]string{}
	for _, ledger := range all.Items {
		if ledger.Spec.Login.ClientName == w.ClientName {
			kind, _, _ := strings.Cut(ledger.Name, "-")
			about[fmt.Sprint(kind, ledger.Spec.Service, ledger.Spec.Diagnostics, ledger.Spec.Order)] = ledger.Name
		}
	}
	names := make([]string, 0, len(about))
	for _, key := range slices.Sorted(maps.Keys(about)) {
		names = append(names, about[key])
	}
	return names
}
