// SPDX-License-Identifier: Apache-2.0

// The kubectl plugin of broadband-operator: `kubectl broadband`.
package main

import (
	"os"
	"time"

	"golang.org/x/term"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/command"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// version is set by the linker.
var version = "devel"

func main() {
	os.Exit(command.Main(ctrl.SetupSignalHandler(), os.Args[1:], environment()))
}

// environment describes the process and its terminal.
func environment() command.Environment {
	terminal := isTerminal(os.Stdout)
	made := command.Environment{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: version, Terminal: terminal,
		Now:  time.Now,   //nolint:forbidigo // a main function names the real clock
		Wait: time.After, //nolint:forbidigo // a main function names the real clock
		Asks: terminal && isTerminal(os.Stdin),
	}
	if !terminal {
		return made
	}
	made.Style = table.Style{Colors: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
		made.Style.Width = width
	}
	return made
}

func isTerminal(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }
