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

// sight is an expected state of the Application.
type sight struct {
	says  string
	holds func(*application) bool
}

// atCommit expects the Application to be synced to a revision with the given health.
func atCommit(revision, health string) sight {
	return sight{says: "the Application is " + health, holds: func(a *application) bool { return a.at(revision, health) }}
}

// sees waits for each of the expected states, one after the other.
func (w *watcher) sees(ctx context.Context, sights ...sight) error {
	for _, sight := range sights {
		if err := w.see(ctx, sight); err != nil {
			return err
		}
		w.sayf("seen: %s", sight.says)
	}
	return nil
}

// see waits for an expected state. A failed read is an error only if it lasts until the timeout:
// Argo CD's server learns of a new Application from a watch, so the first reads may fail.
func (w *watcher) see(ctx context.Context, sight sight) error {
	var unanswered error
	err := w.await(ctx, sight.says, func(ctx context.Context) (bool, error) {
		var a *application
		if a, unanswered = w.ask(ctx); unanswered != nil {
			return false, nil //nolint:nilerr // it is read again
		}
		w.print(a)
		return sight.holds(a), nil
	})
	if err != nil {
		return errors.Join(err, unanswered)
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
	w.sayf("  %s %s", about, line)
}

func (w *watcher) sayf(format string, args ...any) {
	w.Sayf("%7.1f s  %s\n", w.Now().Sub(w.begun).Seconds(), fmt.Sprintf(format, args...))
}
