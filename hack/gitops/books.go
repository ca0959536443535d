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

// books counts the POSTs that the carrier received, by operation, subject and whether it accepted
// them.
type books map[string]int

// changes counts the POSTs, without token requests and those that only read.
func (s *site) changes(ctx context.Context) (books, error) {
	var calls []simulator.Call
	if err := s.AskCarrier(ctx, "calls", &calls); err != nil {
		return nil, err
	}
	seen := books{}
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
func (b books) String() string {
	lines := make([]string, 0, len(b))
	for _, what := range slices.Sorted(maps.Keys(b)) {
		lines = append(lines, fmt.Sprintf("%16d × %s", b[what], what))
	}
	return strings.Join(lines, "\n")
}

// unasked wraps a chapter and fails if the carrier received any changing POST during it.
func (s *site) unasked(tell teller) teller {
	return func(ctx context.Context, w *watcher) error {
		before, err := s.changes(ctx)
		if err != nil {
			return err
		}
		if err := tell(ctx, w); err != nil {
			return err
		}
		return s.balance(ctx, before)
	}
}

// closeBooks fails unless the carrier received exactly one POST for each declared change.
func (s *site) closeBooks(ctx context.Context, w *watcher) error {
	want := books{
		"OrderCreate SITE-014":                    1,
		"PlanChange 1000001":                      1,
		"PlanChange 1000002, refused: " + refusal: 1,
		"PlanChange 1000003":                      1,
	}
	if err := s.balance(ctx, want); err != nil {
		return err
	}
	w.sayf("seen: one POST for each change that was declared, and no other:\n%s", want)
	return nil
}

// balance compares the POSTs that the carrier received with those that are expected, and fails if
// the carrier saw a call that its specification forbids.
func (s *site) balance(ctx context.Context, want books) error {
	seen, err := s.changes(ctx)
	if err != nil {
		return err
	}
	if !maps.Equal(seen, want) {
		return fmt.Errorf("the carrier saw\n%s\nand not\n%s", seen, want)
	}
	return s.Violations(ctx)
}
