// SPDX-License-Identifier: Apache-2.0

package command_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// root is the root of the repository. A spec may change the working directory.
var root = source.Root()

// width is the width of the terminal of the golden files.
const width = 120

// later is the time after the start of a world at which its objects are shown. Every age is then in
// days, whatever the spread of the polls.
const later = 20*24*time.Hour + 12*time.Hour

// plugin runs the plugin against the API server of the suite.
type plugin struct {
	folder string
	answer string // what a person at the terminal types; "": there is no terminal
	edit   func(*command.Environment)
}

// result is what a run printed, and its exit code.
type result struct {
	code     int
	out, err string
}

func newPlugin() *plugin {
	GinkgoHelper()
	p := &plugin{folder: GinkgoT().TempDir()}
	Expect(world.WriteKubeconfig(filepath.Join(p.folder, "kubeconfig"), plane.Config)).To(Succeed())
	return p
}

// run runs the plugin with arguments.
func (p *plugin) run(ctx context.Context, arguments ...string) result {
	var out, complaint bytes.Buffer
	environment := command.Environment{
		In: strings.NewReader(p.answer + "\n"), Out: &out, Err: &complaint, Style: table.Style{Width: width},
		Asks: p.answer != "", Version: "v1.2.3", Wait: time.After, //nolint:forbidigo // the pause of a watch
		Now: func() time.Time { return world.NewClock().Now().Add(later) },
	}
	if p.edit != nil {
		p.edit(&environment)
	}
	arguments = append([]string{"--kubeconfig=" + filepath.Join(p.folder, "kubeconfig")}, arguments...)
	code := command.Main(ctx, arguments, environment)
	return result{code: code, out: out.String(), err: complaint.String()}
}

// whileAsking runs a function once, after the plugin has asked its question and before it reads what
// was typed.
func (p *plugin) whileAsking(do func()) {
	p.edit = func(environment *command.Environment) {
		environment.In = &answering{before: do, text: strings.NewReader(p.answer + "\n")}
	}
}

// answering is a person who takes time to answer.
type answering struct {
	before func()
	text   *strings.Reader
	asked  bool
}

func (a *answering) Read(into []byte) (int, error) {
	if !a.asked {
		a.asked = true
		a.before()
	}
	return a.text.Read(into)
}

// The parts of the output that differ from run to run. Their replacements have the same width.
var (
	ports = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	sums  = regexp.MustCompile(`([-p])[0-9a-f]{32}\b`)
	short = regexp.MustCompile(`(?m)\bp[0-9a-f]{8}$`)
	ids   = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)
	times = regexp.MustCompile(`(\d{4}-\d\d-\d\d)([T ])\d\d:\d\d:\d\d`) // polls are spread by the objects' UIDs
	drawn = regexp.MustCompile(`\b(site-one)-[a-z0-9]{5}\b`)            // the API server completes the name of a test
	looks = regexp.MustCompile(`\bin \d+[smh0-9]*`)
)

// maskedClient stands for the client of a world, and has the same width.
const maskedClient = "reseller-00000000"

// normalized is the output without what differs from run to run.
func normalized(w *world.World, printed string) string {
	printed = strings.ReplaceAll(printed, w.Namespace, strings.Repeat("n", len(w.Namespace)))
	printed = strings.ReplaceAll(printed, w.ClientName, maskedClient)
	printed = ports.ReplaceAllString(printed, "127.0.0.1:00000")
	printed = sums.ReplaceAllString(printed, "${1}"+strings.Repeat("0", 32))
	printed = short.ReplaceAllString(printed, "p00000000")
	printed = ids.ReplaceAllString(printed, "00000000-0000-0000-0000-000000000000")
	printed = drawn.ReplaceAllString(printed, "${1}-00000")
	printed = looks.ReplaceAllString(printed, "in 0s")
	return times.ReplaceAllString(printed, "${1}${2}00:00:00")
}

// session is the text of a golden file: commands, their output and exit codes.
type session struct {
	*plugin

	world *world.World
	text  strings.Builder
}

func newSession(w *world.World) *session { return &session{plugin: newPlugin(), world: w} }

// show runs a command in the namespace of the world, and adds it to the text.
func (s *session) show(ctx context.Context, arguments ...string) result {
	GinkgoHelper()
	ran := s.run(ctx, append(arguments, "-n", s.world.Namespace)...)
	s.text.WriteString("$ kubectl broadband " + strings.Join(arguments, " ") + "\n")
	s.text.WriteString(normalized(s.world, ran.out+ran.err))
	if ran.code != 0 {
		fmt.Fprintf(&s.text, "[exit code %d]\n", ran.code)
	}
	s.text.WriteString("\n")
	return ran
}

// expectGolden compares the text with a golden file, or writes that file if GOLDEN is set.
func (s *session) expectGolden(name string) {
	GinkgoHelper()
	s.expectGoldenDocument(name)
	for line := range strings.Lines(s.text.String()) {
		if strings.Contains(line, "kubectl ") || strings.HasPrefix(line, "error: ") {
			continue // a command to paste stays one line, and so does an error
		}
		Expect(utf8.RuneCountInString(strings.TrimRight(line, "\n"))).To(BeNumerically("<=", width), line)
	}
}

// expectGoldenDocument does the same as expectGolden for a document, whose lines may have any
// length.
func (s *session) expectGoldenDocument(name string) {
	GinkgoHelper()
	file := filepath.Join(root, "cmd", "kubectl-broadband", "internal", "command", "testdata", name+".golden")
	if os.Getenv("GOLDEN") != "" {
		Expect(os.MkdirAll(filepath.Dir(file), 0o750)).To(Succeed())
		Expect(os.WriteFile(file, []byte(s.text.String()), 0o600)).To(Succeed())
	}
	wanted, err := os.ReadFile(file) //nolint:gosec // the name is chosen by the test
	Expect(err).NotTo(HaveOccurred())
	Expect(s.text.String()).To(Equal(string(wanted)), "update it with GOLDEN=1 and review the difference")
}
