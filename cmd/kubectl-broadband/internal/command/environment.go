// SPDX-License-Identifier: Apache-2.0

// Package command implements the commands of the plugin, which read flags and objects, and write
// tables, documents and annotations. The neighboring packages judge and lay out what the commands
// show.
package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Environment is everything that a run takes from outside.
type Environment struct {
	In       io.Reader
	Out      io.Writer
	Err      io.Writer
	Now      func() time.Time
	Style    table.Style // of what is written to Out
	Terminal bool        // Out is a terminal, and is redrawn in place
	Asks     bool        // a person at a terminal can answer a question
	Version  string
	Wait     func(time.Duration) <-chan time.Time
}

// The exit codes. They are the same for every command.
const (
	ExitDone    = 0 // nothing to do, or all done
	ExitNeeds   = 1 // something needs a person
	ExitChanges = 2 // something would change, and nothing would be spent
	ExitSpends  = 3 // something would be spent, or its price is unknown
	ExitFailed  = 4 // the command failed
)

// exitError ends a run with an exit code. It needs no reason if the output already says enough.
type exitError struct {
	code   int
	reason error
}

func (e *exitError) Error() string {
	if e.reason == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.reason.Error()
}

func (e *exitError) Unwrap() error { return e.reason }

// exitWith returns an error that ends the run with a code; nil for [ExitDone].
func exitWith(code int) error {
	if code == ExitDone {
		return nil
	}
	return &exitError{code: code}
}

var errNobodyToAsk = errors.New("this needs a confirmation, and there is no terminal to ask at: run it with --yes")

// confirm asks a person a question. Without a terminal, it returns an error.
func (e *Environment) confirm(question string) (bool, error) {
	if !e.Asks {
		return false, errNobodyToAsk
	}
	if _, err := fmt.Fprintf(e.Out, "%s [y/N] ", question); err != nil {
		return false, fmt.Errorf("ask: %w", err)
	}
	answer, err := bufio.NewReader(e.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read what was typed: %w", err)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

func usageError(format string, values ...any) error {
	return fmt.Errorf(format, values...) //nolint:err113 // the text is for people
}

// advice appends to an error what the user can do about it, if that is known.
func advice(err error) error {
	_, network := errors.AsType[*net.OpError](err)
	switch {
	case meta.IsNoMatchError(err):
		return &advised{err, "the operator's CustomResourceDefinitions are not installed in this cluster: " +
			"check --context, or install them (docs/install.md)"}
	case apierrors.IsUnauthorized(err):
		return &advised{err, "log in again, or choose another --context"}
	case apierrors.IsForbidden(err):
		return &advised{err, "ask for one of the roles of broadband-operator " +
			"(viewer, editor, approver, resolver: docs/access.md)"}
	case clientcmd.IsEmptyConfig(err):
		return &advised{err, "name a kubeconfig with --kubeconfig or $KUBECONFIG"}
	case network:
		return &advised{err, "check --server and --context, and whether the API server runs"}
	}
	return err
}

type advised struct {
	err  error
	todo string
}

func (a *advised) Error() string { return a.err.Error() + "; " + a.todo }

func (a *advised) Unwrap() error { return a.err }
