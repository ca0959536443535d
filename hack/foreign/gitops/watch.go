// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// watcher polls the Application and prints every change.
type watcher struct {
	*site

	begun time.Time
}

// watch returns a watcher whose printed times start now.
func (s *site) watch() *watcher { return &watcher{site: s, begun: s.Now()} }

// expectation is an expected state of the Application.
type expectation struct {
	text  string
	holds func(*application) bool
}

// atCommit expects the Application to be synced to a revision with the given health.
func atCommit(revision, health string) expectation {
	return expectation{
		text:  "the Application is " + health,
		holds: func(a *application) bool { return a.at(revision, health) },
	}
}

// awaitAll waits for each of the expected states, one after the other.
func (w *watcher) awaitAll(ctx context.Context, expectations ...expectation) error {
	for _, expected := range expectations {
		if err := w.await(ctx, expected); err != nil {
			return err
		}
		w.logf("seen: %s", expected.text)
	}
	return nil
}

// await waits for an expected state. A failed read is an error only if it lasts until the timeout,
// because Argo CD's server learns of a new Application from a watch, and the first reads may fail.
func (w *watcher) await(ctx context.Context, expected expectation) error {
	var failed error
	err := w.waitFor(ctx, expected.text, func(ctx context.Context) (bool, error) {
		var a *application
		if a, failed = w.readApplication(ctx); failed != nil {
			return false, nil //nolint:nilerr // it is read again
		}
		w.print(a)
		return expected.holds(a), nil
	})
	if err != nil {
		return errors.Join(err, failed)
	}
	return nil
}

func (w *watcher) print(a *application) {
	w.printChange("Application", a.line())
	for _, resource := range a.Status.Resources {
		w.printChange(resource.Kind+"/"+resource.Name, resource.line())
	}
}

func (w *watcher) printChange(about, line string) {
	if w.shown[about] == line {
		return
	}
	w.shown[about] = line
	w.logf("  %s %s", about, line)
}

func (w *watcher) logf(format string, args ...any) {
	w.Printf("%7.1f s  %s\n", w.Now().Sub(w.begun).Seconds(), fmt.Sprintf(format, args...))
}
