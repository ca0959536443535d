// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// watcher looks at the Application, and prints what changes.
type watcher struct {
	*site

	begun time.Time
}

// watch begins to look.
func (s *site) watch() *watcher { return &watcher{site: s, begun: s.Now()} }

// sight is something that is to be seen of the Application.
type sight struct {
	says  string
	holds func(*application) bool
}

// atCommit is the sight of the Application as a commit says, and as healthy as that.
func atCommit(revision, health string) sight {
	return sight{says: "the Application is " + health, holds: func(a *application) bool { return a.at(revision, health) }}
}

// sees looks until each was seen, one after the other.
func (w *watcher) sees(ctx context.Context, sights ...sight) error {
	for _, sight := range sights {
		if err := w.see(ctx, sight); err != nil {
			return err
		}
		w.sayf("seen: %s", sight.says)
	}
	return nil
}

// see looks until something was seen. That Argo CD cannot be asked is an error only when it
// lasts: its server learns of a new Application by a watch.
func (w *watcher) see(ctx context.Context, sight sight) error {
	var unanswered error
	err := w.await(ctx, sight.says, func(ctx context.Context) (bool, error) {
		var a *application
		if a, unanswered = w.ask(ctx); unanswered != nil {
			return false, nil //nolint:nilerr // it is asked again
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
