// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// postCounts counts the POSTs that the carrier received, by operation, subject and whether it
// accepted them.
type postCounts map[string]int

// countPOSTs counts the POSTs, without token requests and those that only read.
func (s *site) countPOSTs(ctx context.Context) (postCounts, error) {
	var calls []simulator.Call
	if err := s.ReadJournal(ctx, "calls", &calls); err != nil {
		return nil, err
	}
	seen := postCounts{}
	for _, call := range calls {
		if call.Method == http.MethodPost && !reads(call.Operation) {
			seen[entry(call)]++
		}
	}
	return seen, nil
}

// reads reports whether a POST changes nothing at the carrier.
func reads(operation simulator.Operation) bool {
	return operation == simulator.OpToken || operation == simulator.OpHealth || operation == simulator.OpPlanOptions
}

func entry(call simulator.Call) string {
	what := fmt.Sprintf("%s %s", call.Operation, call.Subject)
	if !call.Accepted {
		what += ", refused: " + strings.Join(call.Codes, " ")
	}
	return what
}

// String returns one line per entry.
func (b postCounts) String() string {
	lines := make([]string, 0, len(b))
	for _, what := range slices.Sorted(maps.Keys(b)) {
		lines = append(lines, fmt.Sprintf("%16d × %s", b[what], what))
	}
	return strings.Join(lines, "\n")
}

// withoutPOSTs wraps a step and fails if the carrier received any changing POST during it.
func (s *site) withoutPOSTs(run stepFunc) stepFunc {
	return func(ctx context.Context, w *watcher) error {
		before, err := s.countPOSTs(ctx)
		if err != nil {
			return err
		}
		if err := run(ctx, w); err != nil {
			return err
		}
		return s.expectPOSTs(ctx, before)
	}
}

// checkPOSTs fails unless the carrier received exactly one POST for each declared change.
func (s *site) checkPOSTs(ctx context.Context, w *watcher) error {
	want := postCounts{
		"OrderCreate SITE-014":                    1,
		"PlanChange 1000001":                      1,
		"PlanChange 1000002, refused: " + refusal: 1,
		"PlanChange 1000003":                      1,
	}
	if err := s.expectPOSTs(ctx, want); err != nil {
		return err
	}
	w.logf("seen: one POST for each change that was declared, and no other:\n%s", want)
	return nil
}

// expectPOSTs compares the POSTs that the carrier received with those that are expected, and fails
// if the carrier received a call that its specification forbids.
func (s *site) expectPOSTs(ctx context.Context, want postCounts) error {
	seen, err := s.countPOSTs(ctx)
	if err != nil {
		return err
	}
	if !maps.Equal(seen, want) {
		return fmt.Errorf("the carrier saw\n%s\nand not\n%s", seen, want)
	}
	return s.Violations(ctx)
}
