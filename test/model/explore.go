// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"slices"
	"strings"
)

// emitter is called with a step: its label and the state that it leads to.
type emitter func(l label, next *state)

// successors emits all possible steps.
func (m *model) successors(s *state, emit emitter) {
	for i := range uint8(managers) {
		m.managerSteps(s, i, emit)
	}
	m.sharedSteps(s, emit)
	m.carrierSteps(s, emit)
	m.timeSteps(s, emit)
	m.personSteps(s, emit)
}

// origin is how a state was first reached.
type origin struct {
	from    int
	by      label
	swapped bool // the managers have been swapped since
}

// result is the result of a check.
type result struct {
	states      int
	transitions int
	depth       int
	covered     [len(coverPoints)]bool // by cover point
	violated    string                 // the name of the property; empty: none
	trace       []label
}

// String returns the trace, one line for each step.
func (r *result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "broken: %s\n", r.violated)
	for i, l := range r.trace {
		fmt.Fprintf(&b, "%3d  %s\n", i+1, l)
	}
	return b.String()
}

// search is a breadth-first search: the first violation has the fewest steps.
type search struct {
	*model
	result

	properties []property
	known      map[state]struct{}
	origins    []origin
	next       []state // the states of the next depth, which belong to the last origins
}

// check tries all states within the bounds, up to the first step that breaks a property.
func (m *model) check(properties []property) *result {
	c := &search{model: m, properties: properties, known: map[state]struct{}{}}
	first := m.first()
	c.add(&first, origin{})
	for len(c.next) > 0 && c.violated == "" {
		c.searchLevel()
	}
	c.states = len(c.origins)
	return &c.result
}

func (c *search) searchLevel() {
	level := c.next
	c.next = nil
	start := len(c.origins) - len(level)
	for i := range level {
		before := &level[i]
		from := start + i
		c.successors(before, func(l label, after *state) {
			c.takeStep(before, after, origin{from: from, by: l})
		})
		if c.violated != "" {
			return
		}
	}
	if len(c.next) > 0 {
		c.depth++
	}
}

func (c *search) takeStep(before, after *state, o origin) {
	if c.violated != "" {
		return
	}
	c.transitions++
	for i := range c.properties {
		if c.properties[i].violated(c.model, before, after, o.by) {
			c.violated = c.properties[i].name
			c.trace = c.path(o)
			return
		}
	}
	o.swapped = c.simplify(after)
	c.add(after, o)
}

func (c *search) add(s *state, o origin) {
	if _, found := c.known[*s]; found {
		return
	}
	c.known[*s] = struct{}{}
	c.origins = append(c.origins, o)
	c.next = append(c.next, *s)
	for i := range coverPoints {
		c.covered[i] = c.covered[i] || coverPoints[i].holds(s)
	}
}

// path returns the steps from the first state to that of an origin. A manager keeps its name.
func (c *search) path(last origin) []label {
	origins := []origin{last}
	for last.from != 0 {
		last = c.origins[last.from]
		origins = append(origins, last)
	}
	slices.Reverse(origins)
	steps, swapped := make([]label, 0, len(origins)), false
	for _, o := range origins {
		if swapped {
			o.by.manager = 1 - o.by.manager
		}
		steps = append(steps, o.by)
		swapped = swapped != o.swapped
	}
	return steps
}
