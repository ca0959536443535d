// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// showPackages prints a line for each package, the slowest first.
func showPackages(out io.Writer, folder string) error {
	packages, err := readPackages(folder)
	if err != nil {
		return err
	}
	slices.SortFunc(packages, func(a, b result) int { return cmp.Compare(b.Wall, a.Wall) })
	lines := []string{"wall s\tCPU s\tcontrol plane\tuntil first spec\tspecs\tpackage"}
	total := result{measurement: measurement{Package: "all packages"}}
	for _, p := range packages {
		lines = append(lines, p.line())
		total.CPU, total.controlPlane, total.specs = total.CPU+p.CPU, total.controlPlane+p.controlPlane, total.specs+p.specs
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err = fmt.Fprintln(table, strings.Join(append(lines, total.line()), "\t\n")+"\t")
	if err == nil {
		err = table.Flush()
	}
	if err != nil {
		return fmt.Errorf("print the packages: %w", err)
	}
	return nil
}

// line is a line of the table.
func (r result) line() string {
	name := r.Package
	if r.Failed {
		name += " FAILED"
	}
	return strings.Join([]string{
		orBlank(r.Wall), orBlank(r.CPU), orBlank(r.controlPlane), orBlank(r.start), counted(r.specs), name,
	}, "\t")
}

func orBlank(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return strconv.FormatFloat(seconds, 'f', 1, 64)
}

func counted(specs int) string {
	if specs == 0 {
		return ""
	}
	return strconv.Itoa(specs)
}
