// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// result is the times of a package.
type result struct {
	measurement

	controlPlane float64 // CPU seconds of its own etcd and kube-apiserver
	start        float64 // seconds until its first spec, mostly the start of etcd and kube-apiserver
	specs        int
}

// readPackages reads the measurements in a folder and the reports of the suites.
func readPackages(folder string) ([]result, error) {
	reports := os.DirFS(folder)
	files, err := fs.Glob(reports, "*"+measuredSuffix)
	if err != nil {
		return nil, fmt.Errorf("list the measurements: %w", err)
	}
	packages := make([]result, 0, len(files))
	for _, file := range files {
		var p result
		if err := readJSON(reports, file, &p.measurement); err != nil {
			return nil, err
		}
		specs, specsErr := readSpecs(reports, fileName(p.Package)+specsSuffix)
		seconds, planeErr := readSeconds(reports, fileName(p.Package)+".controlplane.*")
		if err := errors.Join(specsErr, planeErr); err != nil {
			return nil, err
		}
		p.controlPlane = seconds
		p.start, p.specs = beforeSpecs(specs)
		packages = append(packages, p)
	}
	return packages, nil
}

// Suffixes of the file names of measurements and of Ginkgo's reports (test/world).
const (
	measuredSuffix = ".measured.json"
	specsSuffix    = ".specs.json"
)

func readJSON(reports fs.FS, file string, into any) error {
	text, err := fs.ReadFile(reports, file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	return nil
}

// readSpecs reads the report of a package's specs. A package without Ginkgo specs has none.
func readSpecs(reports fs.FS, file string) (types.SpecReports, error) {
	var suites []types.Report
	err := readJSON(reports, file, &suites)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var specs types.SpecReports
	for i := range suites {
		specs = append(specs, suites[i].SpecReports...)
	}
	return specs, err
}

// readSeconds adds up the numbers in the files that match a pattern.
func readSeconds(reports fs.FS, pattern string) (total float64, err error) {
	files, err := fs.Glob(reports, pattern)
	if err != nil {
		return 0, fmt.Errorf("list %s: %w", pattern, err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(reports, file)
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", file, err)
		}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", file, err)
		}
		total += seconds
	}
	return total, nil
}

// beforeSpecs returns the seconds that a suite took before its first spec, and how many specs ran.
func beforeSpecs(specs types.SpecReports) (seconds float64, ran int) {
	for i := range specs {
		if specs[i].LeafNodeType.Is(types.NodeTypeBeforeSuite) {
			seconds += specs[i].RunTime.Seconds()
		}
		if specs[i].LeafNodeType.Is(types.NodeTypeIt) && !specs[i].State.Is(types.SpecStateSkipped) {
			ran++
		}
	}
	return seconds, ran
}

// suiteOf returns the package of a report from its file name.
func suiteOf(file string) string { return strings.TrimSuffix(path.Base(file), specsSuffix) }
