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

// books are the POSTs that the carrier saw: how many of each operation and subject, and
// whether it took them.
type books map[string]int

// changes are the books, without what only reads and the tokens.
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

// reads tells whether a POST changes nothing at the carrier.
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

// String is one line an entry.
func (b books) String() string {
	lines := make([]string, 0, len(b))
	for _, what := range slices.Sorted(maps.Keys(b)) {
		lines = append(lines, fmt.Sprintf("%16d × %s", b[what], what))
	}
	return strings.Join(lines, "\n")
}

// unasked is a chapter at whose end the carrier was asked to do nothing more than before.
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

// closeBooks fails unless the carrier saw one POST for each change that was declared.
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

// balance holds the carrier's books against what was committed: one POST for each change that
// was declared, and none besides.
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
