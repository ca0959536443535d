// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/prometheus/procfs"

	_ "embed"
)

// page is what docs/performance.md shows.
type page struct {
	Scale     float64 // of the numbers of services
	Machine   machine
	Scenarios []scenario
	Missing   []scenario // that this run does not have
	Figures   []figure
	Results   []result
	Plots     []pagePlot
}

// machine is where and when a run was made.
type machine struct {
	Date, Commit, Processor string
	Cores                   int
	Before, After           procfs.LoadAvg
}

func describeMachine(ctx context.Context) (machine, error) {
	commit, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return machine{}, fmt.Errorf("find the commit: %w", err)
	}
	m := machine{
		Date: now().Format("2 January 2006"), Commit: strings.TrimSpace(string(commit)), Cores: runtime.NumCPU(),
	}
	files, err := procfs.NewDefaultFS()
	if err != nil {
		return machine{}, fmt.Errorf("describe the machine: %w", err)
	}
	processors, err := files.CPUInfo()
	if err == nil && len(processors) > 0 {
		m.Processor = processors[0].ModelName
	}
	m.Before, err = loadNow()
	return m, err
}

func loadNow() (procfs.LoadAvg, error) {
	files, err := procfs.NewDefaultFS()
	if err != nil {
		return procfs.LoadAvg{}, fmt.Errorf("read the load: %w", err)
	}
	load, err := files.LoadAvg()
	if err != nil {
		return procfs.LoadAvg{}, fmt.Errorf("read the load: %w", err)
	}
	return *load, nil
}

// pagePlot is a plot of the page.
type pagePlot struct {
	File, Title string
	scenario    string
	of          func(*result) []time.Duration
}

func plots() []pagePlot {
	late := func(r *result) []time.Duration { return r.traffic.lateness[simulator.OpPlanChange] }
	done := func(r *result) []time.Duration { return r.done }
	posted := func(r *result) []time.Duration { return r.posted }
	return []pagePlot{
		{"burst-done.svg", "burst: from the first edit until a service is ready", burst, done},
		{"burst-post.svg", "burst: from an edit until the carrier has the POST", burst, posted},
		{"slow-late.svg", "slow: from the end of a plan change until it is noticed", slow, late},
		{"rate-done.svg", "rate: from the first edit until a service is ready", limited, done},
	}
}

//go:embed page.md.tmpl
var pageTemplate string

// writePage writes the page, and its plots into the folder with its name.
func writePage(file string, with page) error {
	var err error
	if with.Machine.After, err = loadNow(); err != nil {
		return err
	}
	folder := strings.TrimSuffix(file, filepath.Ext(file))
	if err = os.MkdirAll(folder, 0o750); err != nil { //nolint:gosec // named by a flag
		return fmt.Errorf("make the folder of the plots: %w", err)
	}
	for _, one := range plots() {
		curves := curvesOf(with.Results, one.scenario, one.of)
		if len(curves) == 0 {
			continue
		}
		var picture bytes.Buffer
		drawn := drawCurves(&picture, one.Title, curves)
		if drawn != nil {
			return drawn
		}
		written := writeFile(filepath.Join(folder, one.File), picture.Bytes())
		if written != nil {
			return written
		}
		one.File = filepath.Base(folder) + "/" + one.File
		with.Plots = append(with.Plots, one)
	}
	text, err := with.render()
	return errors.Join(err, writeFile(file, text))
}

func (p page) render() ([]byte, error) {
	parsed, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	var text bytes.Buffer
	if err = parsed.Execute(&text, p); err != nil {
		return nil, fmt.Errorf("write the page: %w", err)
	}
	return text.Bytes(), nil
}

func writeFile(path string, content []byte) error {
	if err := os.WriteFile(path, content, 0o644); err != nil { //nolint:gosec // a page that anybody may read
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
