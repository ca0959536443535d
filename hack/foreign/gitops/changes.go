// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"strings"
)

func (s *site) changePlan(ctx context.Context, w *watcher) error {
	revision, err := s.setPlan(ctx, changed, planSlow, planFast)
	if err != nil {
		return err
	}
	return w.awaitAll(ctx, atCommit(revision, progressing), atCommit(revision, healthy))
}

// refusal is the carrier's code for a plan that it does not sell.
const refusal = "constraints.plan.change.plan.name.invalid"

func (s *site) mistypePlan(ctx context.Context, w *watcher) error {
	revision, err := s.setPlan(ctx, mistyped, planSlow, planWrong)
	if err != nil {
		return err
	}
	return w.awaitAll(ctx, atCommit(revision, degraded), expectation{
		text: "the message begins with " + refusal,
		holds: func(a *application) bool {
			health := a.healthOf(mistyped)
			return health.Status == degraded && strings.HasPrefix(health.Message, refusal)
		},
	})
}

func (s *site) correctPlan(ctx context.Context, w *watcher) error {
	revision, err := s.setPlan(ctx, mistyped, planWrong, planSlow)
	if err != nil {
		return err
	}
	return w.awaitAll(ctx, atCommit(revision, healthy))
}
