// SPDX-License-Identifier: Apache-2.0

// Package terminal_test does the tutorial in a real terminal, with the kubectl plugin: `make
// test-terminal`. It needs tmux (Debian's package tmux), so it is a module of its own.
package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// step is a block of commands of the tutorial, and the output that it shows.
type step struct{ commands, output string }

var stepPattern = regexp.MustCompile("(?s)\n```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?")

// tutorial returns the steps of the tutorial after the one that starts the demo.
func tutorial(t *testing.T) []step {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := stepPattern.FindAllStringSubmatch(string(page), -1)
	steps := make([]step, 0, len(blocks))
	for _, block := range blocks {
		steps = append(steps, step{commands: block[1], output: block[2]})
	}
	if len(steps) < 10 || !strings.HasSuffix(steps[0].commands, "make demo\n") {
		t.Fatalf("the tutorial has %d steps", len(steps))
	}
	return steps[1:]
}

// student does the tutorial at a terminal.
type student struct {
	*terminal

	folder string
}

func TestTheTutorialCanBeDoneWithThePluginInATerminal(t *testing.T) {
	t.Parallel()
	folder := startDemo(t)
	s := &student{terminal: openTerminal(t, folder), folder: folder}
	approved, resolved := 0, 0
	for number, one := range tutorial(t) {
		switch {
		case strings.HasPrefix(one.commands, "kubectl broadband approve site-020"):
			s.approve()
			approved++
		case strings.Contains(one.commands, "wholesale.broadband/resolve="):
			s.resolve()
			resolved++
		default:
			s.follow(number, one)
		}
		if strings.Contains(one.commands, "kubectl broadband resolve site-020") {
			s.lookAround()
		}
	}
	if approved != 1 || resolved != 1 {
		t.Fatalf("the tutorial approves %d times, and resolves %d times", approved, resolved)
	}
}

// follow runs the commands of a step, and compares the screen with what the tutorial shows. Tables
// are narrower in a terminal, so the words are compared and not the lines.
func (s *student) follow(number int, one step) {
	s.t.Helper()
	file := fmt.Sprintf("step-%02d.sh", number)
	if err := os.WriteFile(filepath.Join(s.folder, file), []byte(one.commands), 0o600); err != nil {
		s.t.Fatal(err)
	}
	screen := s.run("source " + file)
	s.expectWords(screen, one.output)
	if strings.Contains(one.commands, "kubectl broadband") {
		s.expectWidth(screen, width)
	}
}

// approve approves the plan of changes: the plugin shows it and asks.
func (s *student) approve() {
	s.t.Helper()
	screen := s.run("kubectl broadband status; echo \"exit code $?\"")
	s.expectScreen(screen, "APPROVE: changes wait for your approval (", "bbs/site-020",
		`plan.name "Home 100/20" → "Home 250/25"`, "kubectl broadband approve --all -n default", "exit code 1")
	screen = s.answer("kubectl broadband approve site-020")
	s.expectScreen(screen, `plan.name "Home 100/20" → "Home 250/25"`, "58.00 AUD → 75.00 AUD", "Approve 1 object? [y/N] y",
		"1 object approved")
	s.expectScreen(s.run("kubectl wait --for=condition=Ready --timeout=1m bbs/site-020"), "condition met")
}

// resolve states the outcome of the request whose response was lost.
func (s *student) resolve() {
	s.t.Helper()
	screen := s.answer(`kubectl broadband resolve site-020 --outcome "Accepted=$number"`)
	s.expectScreen(screen, `AggregationConversion to "ETHERNET"`, "Resolve 1 object? [y/N] y", "1 object resolved")
	s.expectScreen(s.run("kubectl wait --for=condition=Ready --timeout=1m bbs/site-020"), "condition met")
}

// lookAround looks at what the plugin shows while the outcome of a request is unknown.
func (s *student) lookAround() {
	s.t.Helper()
	s.expectScreen(s.run("kubectl broadband status"), "RESOLVE: ask the carrier what became of these requests (1)",
		"bbs/site-020", "OutcomeUnknown")
	if !strings.Contains(s.colored(), "\x1b[") {
		s.t.Error("the terminal shows no colors")
	}
	s.run("NO_COLOR=1 kubectl broadband status")
	if strings.Contains(s.colored(), "\x1b[") {
		s.t.Error("with NO_COLOR there are colors")
	}
	s.run("kubectl broadband status >status.txt")
	s.expectPlainFile("status.txt")
	s.expectScreen(s.run("kubectl broadband status site-020"), "BroadbandService default/site-020 (service 9007199254",
		"Ready=False OutcomeUnknown", "REQUEST IN PROGRESS", "kubectl broadband resolve -n default bbs/site-020")
	s.expectScreen(s.run("kubectl broadband find LOC000012345678"), "bbs/site-020", "sorder/site-020", "location")
	s.expectScreen(s.run("kubectl broadband report"), "SUCCEEDED", "OrderCreate", "reseller-sandbox", "kubectl-broadband")
	s.expectScreen(s.run("kubectl broadband check"), "as in this version", "key", "issued")
	s.watch()
	const narrow = 60
	s.tmux("resize-window", "-x", fmt.Sprint(narrow), "-y", fmt.Sprint(height))
	for _, command := range []string{"status", "status site-020", "plan", "resolve site-020", "report", "check"} {
		s.expectWidth(s.run("kubectl broadband "+command), narrow)
	}
	s.tmux("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

// watch watches the status, which is redrawn in place when something changes.
func (s *student) watch() {
	s.t.Helper()
	s.clear()
	s.enter("kubectl broadband status --watch")
	s.awaitText("RESOLVE: ask the carrier")
	patch := `{"metadata":{"labels":{"watched":"yes"}},"spec":{"suspend":true}}`
	kubectl := "source bin/demo/env && kubectl patch bbs asks-first --type=merge --patch='" + patch + "'"
	run := command(s.t, "bash", "-c", kubectl)
	run.Dir = s.folder
	must(s.t, run)
	s.await("shows the suspended service in place", func() bool {
		screen := s.screen()
		return strings.Contains(screen, "Suspended") && strings.Count(screen, "RESOLVE: ") == 1
	})
	s.press("C-c")
	s.awaitPrompt()
	s.expectScreen(s.run("echo \"exit code $?\""), "exit code 0")
}

// expectScreen fails unless the screen contains all texts, and no line that is wider than the
// terminal.
func (s *student) expectScreen(screen string, texts ...string) {
	s.t.Helper()
	flat := strings.Join(strings.Fields(screen), " ")
	for _, text := range texts {
		if !strings.Contains(flat, text) && !allWords(flat, text) {
			s.t.Errorf("the screen does not show %q:\n%s", text, screen)
		}
	}
	s.expectWidth(screen, width)
}

// expectWidth fails if a line is wider than the terminal. A command to paste and an error are one
// line, whatever their width, and so is what was typed.
func (s *student) expectWidth(screen string, most int) {
	s.t.Helper()
	for line := range strings.Lines(screen) {
		line = strings.TrimRight(line, " \n")
		free := strings.Contains(line, "kubectl ") || strings.HasPrefix(line, "error: ") || strings.HasPrefix(line, "$ ")
		if wide := utf8.RuneCountInString(line); wide > most && !free {
			s.t.Errorf("a line has %d columns, and the terminal %d: %s", wide, most, line)
		}
	}
}

// expectPlainFile fails if a file that the plugin wrote has colors or broken lines, because a file is
// not a terminal.
func (s *student) expectPlainFile(name string) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.folder, name)) //nolint:gosec // a file of this test
	if err != nil {
		s.t.Fatal(err)
	}
	if strings.Contains(string(text), "\x1b") || !regexp.MustCompile(`(?m)^bbs/asks-first .{90,}$`).Match(text) {
		s.t.Errorf("what is not a terminal gets colors, or cut lines:\n%s", text)
	}
}

// changing matches what differs from run to run: hashes, ids, numbers, addresses, times and ages.
var changing = regexp.MustCompile(`\bp[0-9a-f]{8,32}\b|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}` +
	`|\b90071992547[0-9]{5}\b|127\.0\.0\.1:[0-9]+` +
	`|\b20[0-9]{2}-[0-9]{2}-[0-9]{2}([T ][0-9:]{8})?(Z| [+-][0-9]{2}:[0-9]{2})?|\b([0-9]+[hms])+\b`)

// expectWords fails unless the screen contains every word of an output.
func (s *student) expectWords(screen, output string) {
	s.t.Helper()
	flat := strings.Join(strings.Fields(screen), " ")
	for word := range strings.FieldsSeq(changing.ReplaceAllString(output, " ")) {
		if !strings.Contains(flat, word) {
			s.t.Errorf("the screen does not show %q of the tutorial:\n%s", word, screen)
		}
	}
}

// allWords reports whether a text contains every word of another one, wherever it is, because a
// cell of a table may be broken into several lines.
func allWords(text, words string) bool {
	for word := range strings.FieldsSeq(words) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
