// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// imported is a manifest of the folder, and how its service differs from what the carrier has.
type imported struct {
	file        string
	text        []byte
	service     v1alpha1.BroadbandService
	differences []imports.Difference
}

// compare shows how the manifests of the folder differ from what the carrier has.
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
	rows, total := show.Differences(differences), show.DifferenceTotal(services, differences)
	switch i.output.format {
	case outputCSV:
		return rows.CSV(i.Out)
	case outputHTML:
		return i.print(table.Page(total, rows.HTML()))
	case outputTable:
		sections := []show.Section{{Title: total}}
		if len(differences) > 0 {
			sections = append([]show.Section{{Table: rows}}, sections...)
		}
		return show.Write(i.Out, i.Style, sections...)
	}
	report := map[string]any{"services": services, "differences": differences}
	return i.writeDocument("ImportReport", i.output.format, report)
}

// acceptCarriers writes the carrier's plans into the manifests.
func (i *importer) acceptCarriers(ctx context.Context) error {
	all, err := i.compared(ctx)
	if err != nil {
		return err
	}
	changed, left := 0, 0
	for _, one := range all {
		text, err := imports.Accept(one.text, one.differences)
		if err != nil {
			return fmt.Errorf("%s: %w", one.file, err)
		}
		if bytes.Equal(text, one.text) {
			left += len(one.differences)
			continue
		}
		changed++
		if err := os.WriteFile(one.file, text, 0o600); err != nil {
			return fmt.Errorf("write the manifest: %w; run the command again to continue", err)
		}
	}
	return i.printf("%s changed to what the carrier has; %s left for you to correct.\n"+
		"Next: %s\n", judge.Counted(changed, "manifest"), judge.Counted(left, "difference"), i.applying())
}

// compared reads the manifests of the folder and their objects.
func (i *importer) compared(ctx context.Context) ([]imported, error) {
	all, err := i.readFolder()
	if err != nil {
		return nil, err
	}
	cluster, err := i.cluster()
	if err != nil {
		return nil, err
	}
	wanted := make(map[client.ObjectKey]*imported, len(all))
	namespaces := make(map[string]bool)
	for at := range all {
		one := &all[at]
		one.service.Namespace = cmp.Or(one.service.Namespace, orDefault(cluster.Namespace))
		wanted[client.ObjectKeyFromObject(&one.service)] = one
		namespaces[one.service.Namespace] = true
		one.differences = imports.Compare(&one.service, nil)
	}
	for namespace := range namespaces {
		there := *cluster
		there.Namespace = namespace
		err := there.Each(ctx, fleet.Services(), nil, func(object fleet.Object) error {
			live, is := object.(*v1alpha1.BroadbandService)
			if one := wanted[client.ObjectKeyFromObject(object)]; is && one != nil {
				one.differences = imports.Compare(&one.service, live)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (i *importer) readFolder() ([]imported, error) {
	files, err := filepath.Glob(filepath.Join(i.folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, usageError("the folder %s has no manifests: import with --csv first", i.folder)
	}
	var all []imported
	for _, file := range files {
		text, err := os.ReadFile(file) //nolint:gosec // the folder is named by the user
		if err != nil {
			return nil, fmt.Errorf("read the manifest: %w", err)
		}
		one := imported{file: file, text: text}
		if err := yaml.Unmarshal(text, &one.service); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if one.service.Kind == "BroadbandService" {
			all = append(all, one)
		}
	}
	return all, nil
}
