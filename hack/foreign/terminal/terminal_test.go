// SPDX-License-Identifier: Apache-2.0

package terminal_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// terminal is a shell in tmux, which is a terminal of a chosen size.
type terminal struct {
	t      *testing.T
	server string // the name of a tmux server of its own
}

// The size of the terminal.
const (
	width  = 100
	height = 45
)

// patience is how long a command may take on a busy machine.
const patience = 2 * time.Minute

// openTerminal starts a shell in a folder, with nothing of the user's configuration.
func openTerminal(t *testing.T, folder string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatalf("this test needs tmux (Debian's package tmux): %v", err)
	}
	opened := &terminal{t: t, server: "broadband-" + strconv.Itoa(os.Getpid()) + "-" + filepath.Base(folder)}
	// With each prompt the test learns that the command before it has ended.
	shell := "PROMPT_COMMAND='tmux wait-for -S prompt' PS1='$ ' TERM=screen-256color bash --noprofile --norc"
	opened.tmux("-f", os.DevNull, "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height),
		"-c", folder, shell)
	t.Cleanup(func() { opened.tmux("kill-server") })
	opened.awaitPrompt()
	return opened
}

// tmux runs a command of tmux, and returns what it prints.
func (s *terminal) tmux(arguments ...string) string {
	s.t.Helper()
	within, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), patience)
	defer cancel()
	arguments = append([]string{"-L", s.server}, arguments...)
	command := exec.CommandContext(within, "tmux", arguments...) //nolint:gosec // chosen by the test
	out, err := command.CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %q: %v: %s\nthe screen:\n%s", arguments, err, out, s.shown(arguments))
	}
	return string(out)
}

// shown returns the screen for the message of a failure. It is "" unless the failed command was a
// wait, because reading the screen may be what failed.
func (s *terminal) shown(arguments []string) string {
	if !slices.Contains(arguments, "wait-for") {
		return ""
	}
	return s.screen()
}

// press types keys by their names in tmux, such as Enter or C-c.
func (s *terminal) press(keys ...string) { s.tmux(append([]string{"send-keys"}, keys...)...) }

// enter types a line.
func (s *terminal) enter(line string) {
	s.tmux("send-keys", "-l", line)
	s.press("Enter")
}

func (s *terminal) awaitPrompt() { s.tmux("wait-for", "prompt") }

// clear empties the screen and what was scrolled out of it.
func (s *terminal) clear() {
	s.enter("clear")
	s.awaitPrompt()
	s.tmux("clear-history")
}

// run types a command on an empty screen, and returns what the terminal then shows.
func (s *terminal) run(command string) string {
	s.clear()
	s.enter(command)
	s.awaitPrompt()
	return s.screen()
}

// answer types a command on an empty screen, and y when it asks.
func (s *terminal) answer(command string) string {
	s.clear()
	s.enter(command)
	s.awaitText("[y/N]")
	s.enter("y")
	s.awaitPrompt()
	return s.screen()
}

// screen returns everything since the screen was cleared, without colors. A line that is longer than
// the terminal is wide is one line here.
func (s *terminal) screen() string { return s.tmux("capture-pane", "-p", "-J", "-S", "-") }

// colored returns the screen with its colors.
func (s *terminal) colored() string { return s.tmux("capture-pane", "-p", "-e") }

// awaitText waits until the screen contains a text.
func (s *terminal) awaitText(text string) {
	s.t.Helper()
	s.await("shows "+strconv.Quote(text), func() bool { return strings.Contains(s.screen(), text) })
}

// await waits for a condition of the screen.
func (s *terminal) await(what string, is func() bool) {
	s.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond) //nolint:forbidigo // a real terminal has a real clock
	defer tick.Stop()
	end := time.NewTimer(patience) //nolint:forbidigo // a real terminal has a real clock
	defer end.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-end.C:
			s.t.Fatalf("the terminal never %s:\n%s", what, s.screen())
		}
	}
}
