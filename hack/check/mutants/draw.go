// SPDX-License-Identifier: Apache-2.0

package main

import "math/rand/v2"

// drawn is a randomly drawn mutant. Its number is its position in the draw.
type drawn struct {
	site

	number int
	text   []byte // of the broken file
}

// draw draws the given number of mutants that compile, or all if there are fewer. The result
// depends only on the code and the seed.
func draw(all []code, seed uint64, many int) []drawn {
	type candidate struct {
		site

		of code
	}
	var candidates []candidate
	for _, one := range all {
		for _, found := range one.sites() {
			candidates = append(candidates, candidate{found, one})
		}
	}
	order := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a reproducible sample, not a secret
	var mutants []drawn
	for _, i := range order.Perm(len(candidates)) {
		if len(mutants) >= many {
			break
		}
		next := candidates[i]
		if text := next.broken(next.of.texts[next.path]); next.of.compiles(next.path, text) {
			mutants = append(mutants, drawn{next.site, len(mutants) + 1, text})
		}
	}
	return mutants
}
