// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// maxShown is the number of slowest specs that are printed.
const maxShown = 40

// timed is a spec and its duration in seconds.
type timed struct {
	seconds float64
	suite   string
	text    string
}

// showSpecs prints the slowest specs and their share of the time of all specs.
func showSpecs(out io.Writer, folder string) error {
	specs, err := readTimes(os.DirFS(folder))
	if err != nil {
		return err
	}
	slices.SortFunc(specs, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	lines, longest, total := []string{}, 0.0, 0.0
	for i, spec := range specs {
		total += spec.seconds
		if i < maxShown {
			longest += spec.seconds
			lines = append(lines, fmt.Sprintf("%7.1f s  %s: %s", spec.seconds, spec.suite, spec.text))
		}
	}
	_, err = fmt.Fprintf(out, "%s\n%7.1f s  in all; all %d specs: %.1f s\n",
		strings.Join(lines, "\n"), longest, len(specs), total)
	if err != nil {
		return fmt.Errorf("print the specs: %w", err)
	}
	return nil
}

// readTimes reads the specs of all packages.
func readTimes(reports fs.FS) ([]timed, error) {
	files, err := fs.Glob(reports, "*"+specsSuffix)
	if err != nil {
		return nil, fmt.Errorf("list the reports: %w", err)
	}
	var all []timed
	for _, file := range files {
		specs, err := readSpecs(reports, file)
		if err != nil {
			return nil, err
		}
		for i := range specs {
			text := cmp.Or(strings.TrimSpace(specs[i].FullText()), specs[i].LeafNodeType.String())
			all = append(all, timed{specs[i].RunTime.Seconds(), suiteOf(file), text})
		}
	}
	return all, nil
}
