// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// imported is a manifest of the folder, and how its service differs from what the carrier has.
type imported struct {
	imports.Held

	differences []imports.Difference
}

func (i *importer) compare(ctx context.Context) error {
	all, err := i.compared(ctx)
	if err != nil {
		return err
	}
	differences := []imports.Difference{}
	for _, one := range all {
		differences = append(differences, one.differences...)
	}
	if err := i.printDifferences(len(all), differences); err != nil {
		return err
	}
	if len(differences) > 0 {
		return exitWith(ExitNeeds)
	}
	return nil
}

func (i *importer) printDifferences(services int, differences []imports.Difference) error {
	total := show.DifferenceTotal(services, differences)
	switch i.output.format {
	case outputCSV:
		return i.print(show.Differences(differences).CSV())
	case outputHTML:
		return i.print(table.Page(total, show.Differences(differences).HTML()))
	}
	report := map[string]any{"services": services, "differences": differences}
	return i.tool.write(i.output, "ImportReport", report, i.differenceSections(total, differences)...)
}

// differenceSections returns a table by service, and a line for each shared difference.
func (i *importer) differenceSections(total string, differences []imports.Difference) []show.Section {
	listed := slices.DeleteFunc(slices.Clone(differences), func(one imports.Difference) bool {
		return one.Kind.Summarized()
	})
	var sections []show.Section
	if len(listed) > 0 {
		sections = append(sections, show.Section{Table: show.Differences(show.Quoted(listed))})
	}
	if lines := show.DifferenceSummary(differences); len(lines) > 0 {
		sections = append(sections, show.Section{Lines: lines})
	}
	return append(sections, show.Section{Title: total, After: show.NextSteps(differences, i.folder)})
}

func (i *importer) acceptCarriers(ctx context.Context) error {
	all, err := i.compared(ctx)
	if err != nil {
		return err
	}
	byFile := make(map[string][]imports.Difference)
	var left []imports.Difference
	for _, one := range all {
		byFile[one.File] = append(byFile[one.File], one.differences...)
	}
	changed := 0
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		rest, err := acceptInFile(file, byFile[file])
		if err != nil {
			return err
		}
		if len(rest) < len(byFile[file]) {
			changed++
		}
		left = append(left, rest...)
	}
	return i.printf("%s changed to what the carrier has.\nLeft: %s\n%s\n", judge.Counted(changed, "manifest"),
		show.DifferenceTotal(len(all), left), i.next())
}

// acceptInFile writes the carrier's plans into a file, and returns the differences that are left.
func acceptInFile(file string, differences []imports.Difference) ([]imports.Difference, error) {
	before, err := os.ReadFile(file) //nolint:gosec // the folder is named by the user
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	text, left, err := imports.Accept(before, differences)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if bytes.Equal(text, before) {
		return left, nil
	}
	if err := os.WriteFile(file, text, 0o600); err != nil { //nolint:gosec // the folder is named by the user
		return nil, fmt.Errorf("write the manifest: %w; run the command again to continue", err)
	}
	return left, nil
}

func (i *importer) compared(ctx context.Context) ([]imported, error) {
	held, err := i.readFolder()
	if err != nil {
		return nil, err
	}
	if len(held) == 0 {
		return nil, usageError("the folder %s has no manifests: import with --csv first", i.folder)
	}
	cluster, err := i.cluster()
	if err != nil {
		return nil, err
	}
	all := make([]imported, 0, len(held))
	wanted := make(map[client.ObjectKey]*imported, len(held))
	namespaces := make(map[string]bool)
	for _, one := range held {
		one.Service.Namespace = cmp.Or(one.Service.Namespace, orDefault(cluster.Namespace))
		all = append(all, imported{one, imports.Compare(&one.Service, nil)})
		wanted[client.ObjectKeyFromObject(&one.Service)] = &all[len(all)-1]
		namespaces[one.Service.Namespace] = true
	}
	for namespace := range namespaces {
		if err := compareIn(ctx, cluster, namespace, wanted); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func compareIn(
	ctx context.Context, cluster *fleet.Cluster, namespace string, wanted map[client.ObjectKey]*imported,
) error {
	there := *cluster
	there.Namespace = namespace
	return there.Each(ctx, fleet.Services(), nil, func(object fleet.Object) error {
		live, is := object.(*v1alpha1.BroadbandService)
		if one := wanted[client.ObjectKeyFromObject(object)]; is && one != nil {
			one.differences = imports.Compare(&one.Service, live)
		}
		return nil
	})
}

// readFolder reads the services of the folder; none if there is no folder.
func (i *importer) readFolder() ([]imports.Held, error) {
	files, err := filepath.Glob(filepath.Join(i.folder, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("read the folder: %w", err)
	}
	var all []imports.Held
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // the folder is named by the user
		if err != nil {
			return nil, fmt.Errorf("read the manifest: %w", err)
		}
		services, err := imports.Services(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, service := range services {
			all = append(all, imports.Held{File: file, Service: service})
		}
	}
	return all, nil
}
