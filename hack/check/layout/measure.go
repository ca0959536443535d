// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

// start is a function, or a Type.Method, that a walk starts at.
type start struct{ folder, function string }

func (s start) String() string { return s.folder + "." + s.function }

// walks are the functions whose calls are followed: those that decide, and those that send a request.
func walks() []start {
	return []start{
		{"pkg/decide/services", "Decide"},
		{"pkg/decide/orders", "Decide"},
		{"controllers/pass", "Pass.Run"},
		{"controllers/internal/operate", "Protocol.Send"},
		{"pkg/carrier", "Client.Submit"},
		{"pkg/carrier/simulator", "submit"},
	}
}

// tree is what is measured.
type tree struct {
	root    string
	list    string // the file with the limits
	ordered string // the folder with the packages whose references against the order are counted
	walks   []start
}

// check reports the figures that are not their limits.
func (t tree) check(ctx context.Context, out io.Writer) error {
	limits, measured, err := t.read(ctx)
	if err != nil {
		return err
	}
	return report(out, limits.differences(measured))
}

// lower lowers the limits to the figures that have fallen, and reports those that have risen.
func (t tree) lower(ctx context.Context, out io.Writer) error {
	limits, measured, err := t.read(ctx)
	if err != nil {
		return err
	}
	limits = limits.lowered(measured)
	if err := limits.write(t.list); err != nil {
		return err
	}
	return report(out, limits.differences(measured))
}

func (t tree) read(ctx context.Context) (limits, measured figures, err error) {
	if limits, err = readLimits(t.list); err == nil {
		measured, err = t.measure(ctx)
	}
	return limits, measured, err
}

var errDifferent = errors.New("these figures differ from their limits")

func report(out io.Writer, differences []string) error {
	for _, one := range differences {
		printf(out, "%s\n", one)
	}
	if len(differences) > 0 {
		return errDifferent
	}
	return nil
}

func (t tree) measure(ctx context.Context) (figures, error) {
	measured := figures{}
	if err := measured.count(os.DirFS(t.root)); err != nil {
		return nil, err
	}
	patterns := []string{"./" + t.ordered + "/..."}
	for _, from := range t.walks {
		patterns = append(patterns, "./"+from.folder)
	}
	loaded, err := typed.LoadAll(ctx, t.root, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load the packages: %w", err)
	}
	measured.compareOrder(loaded, t.ordered)
	return measured, measured.follow(loaded, t.walks)
}

// compareOrder counts references against the order, in a folder and those below it.
func (f figures) compareOrder(loaded []*typed.Package, folder string) {
	for _, one := range loaded {
		if isIn(folder, one.Folder) {
			found := referencesOf(one)
			f.add(againstOrder, one.Folder, found.against(found.order()).sum())
		}
	}
}

// follow follows the calls of each start.
func (f figures) follow(loaded []*typed.Package, starts []start) error {
	for _, from := range starts {
		in := slices.IndexFunc(loaded, func(one *typed.Package) bool { return one.Folder == from.folder })
		found, err := walk(loaded[in], from.function)
		if err != nil {
			return fmt.Errorf("follow %s, which hack/check/layout/measure.go names: %w", from, err)
		}
		f.add(walkFunctions, from.String(), found.functions)
		f.add(walkFiles, from.String(), found.files)
		f.add(walkReturns, from.String(), found.returns)
	}
	return nil
}
