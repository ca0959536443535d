// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
)

// The plans of the scenario. The carrier does not sell the last one, in which the zeros are
// letters.
const (
	planSlow    = "Home 50/20"
	planFast    = "Home 100/20"
	planFaster  = "Home 250/25"
	planDearest = "Home 500/50"
	planWrong   = "Home 1OO/20"
)

// The services of the scenario.
const (
	changed  = "site-001"
	mistyped = "site-002"
	costly   = "site-003"
)

// step is a part of the scenario.
type step struct {
	name string
	run  stepFunc
}

type stepFunc func(context.Context, *watcher) error

func (s *site) steps() []step {
	return []step{
		{"a first commit: an account, then an order, then three services", s.firstCommit},
		{"a commit changes the plan of " + changed, s.changePlan},
		{"a commit mistypes the plan of " + mistyped, s.mistypePlan},
		{"a commit corrects it", s.withoutPOSTs(s.correctPlan)},
		{"a commit changes the plan of " + costly + ", which requires approval", s.withoutPOSTs(s.declareCost)},
		{"a viewer tries to approve it", s.withoutPOSTs(s.approveAsViewer)},
		{"an approver tries, but Argo CD's server may not approve", s.withoutPOSTs(s.approveWithoutRight)},
		{"the server may, and an approver approves it", s.approve},
		{"somebody edits " + costly + " outside Git", s.withoutPOSTs(s.editOutsideGit)},
		{"a commit removes " + changed, s.withoutPOSTs(s.prune)},
		{"a commit restores it", s.withoutPOSTs(s.restore)},
		{"no conflict", s.withoutPOSTs(s.expectNoConflict)},
		{"the carrier's POSTs", s.checkPOSTs},
	}
}

// runSteps runs all steps in order.
func (s *site) runSteps(ctx context.Context) error {
	if err := s.connect(); err != nil {
		return err
	}
	begun := s.Now()
	for i, step := range s.steps() {
		s.Printf("\n%s: %d. %s\n", program, i+1, step.name)
		if err := step.run(ctx, s.watch()); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	s.Printf("\n%s: everything was as expected; the scenario took %.0f s\n", program, s.Now().Sub(begun).Seconds())
	return nil
}

// push commits the edited files and makes Argo CD refresh immediately.
func (s *site) push(ctx context.Context, message string, edited error) (string, error) {
	if edited != nil {
		return "", edited
	}
	revision, err := s.repository.commit(ctx, message)
	if err != nil {
		return "", err
	}
	return revision, s.refresh(ctx, "normal")
}

func (s *site) setPlan(ctx context.Context, service, from, to string) (string, error) {
	return s.push(ctx, service+": "+to, s.repository.edit(service+".yaml", from, to))
}
