// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
)

// The plans of the scenario. The carrier does not sell the last one: it has letters for digits.
const (
	planSlow   = "Home 50/20"
	planFast   = "Home 100/20"
	planFaster = "Home 250/25"
	planDearer = "Home 500/50"
	planWrong  = "Home 1OO/20"
)

// The services of the scenario.
const (
	changed  = "site-001"
	mistyped = "site-002"
	costly   = "site-003"
)

// chapter is a part of the scenario.
type chapter struct {
	says string
	tell teller
}

type teller func(context.Context, *watcher) error

func (s *site) chapters() []chapter {
	return []chapter{
		{"a first commit: an account, then an order, then three services", s.first},
		{"a commit changes the plan of " + changed, s.change},
		{"a commit mistypes the plan of " + mistyped, s.mistype},
		{"a commit corrects it", s.unasked(s.correct)},
		{"a commit changes the plan of " + costly + ", which asks before it costs", s.unasked(s.declareCost)},
		{"who may only see tries to approve it", s.unasked(s.presume)},
		{"an approver tries, and Argo CD's server may not approve", s.unasked(s.lack)},
		{"the server may, and an approver approves it", s.agree},
		{"somebody edits " + costly + " past Git", s.unasked(s.edit)},
		{"a commit removes " + changed, s.unasked(s.prune)},
		{"a commit brings it back", s.unasked(s.restore)},
		{"at rest", s.unasked(s.rest)},
		{"the books", s.closeBooks},
	}
}

// tell runs all chapters in order.
func (s *site) tell(ctx context.Context) error {
	if err := s.connect(); err != nil {
		return err
	}
	begun := s.Now()
	for i, chapter := range s.chapters() {
		s.Sayf("\n%s: %d. %s\n", program, i+1, chapter.says)
		if err := chapter.tell(ctx, s.watch()); err != nil {
			return fmt.Errorf("%s: %w", chapter.says, err)
		}
	}
	s.Sayf("\n%s: everything was as it must be; the story took %.0f s\n", program, s.Now().Sub(begun).Seconds())
	return nil
}

// push commits the edited files and makes Argo CD refresh at once.
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
