// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

// importer is the command import.
type importer struct {
	*tool

	output     *outputFlag
	csv        string
	serviceIDs []string
	columns    map[string]string
	folder     string
	account    string
	kustomize  bool
	report     bool
	accept     bool
}

func (t *tool) importCommand() *cobra.Command {
	i := &importer{tool: t}
	command := &cobra.Command{
		Use:   "import",
		Short: "Make manifests for an existing fleet, and compare them with what the carrier has",
		Long: "1. --csv or --service-ids: writes a manifest for each service into a folder, with managementPolicy: Plan.\n" +
			"   Files that exist are kept, so that an import can be repeated.\n" +
			"2. Apply the folder. The operator reads the services and sends nothing.\n" +
			"3. --report: shows service numbers that the carrier does not know, plans that differ, names that are\n" +
			"   spelled differently, cancelled services, and what else needs a look. Exit code 1 if there are any.\n" +
			"4. --accept: writes the carrier's plans into the manifests. Apply them. When all match, set\n" +
			"   managementPolicy: Manage.\n\n" +
			"Columns are recognized by their header. --map names a header: --map plan='Tariff name'. The fields are\n" +
			strings.Join(imports.FieldNames(), ", ") + ".",
		Example: examples("kubectl broadband import --csv fleet.csv --account default --folder fleet/",
			"kubectl broadband import --service-ids 1234567,1234568 --folder fleet/",
			"kubectl broadband import --report --folder fleet/", "kubectl broadband import --accept --folder fleet/"),
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return i.run(command.Context()) },
	}
	i.output = addOutput(command, outputCSV, outputHTML)
	flags := command.Flags()
	flags.StringVar(&i.csv, "csv", "", "a list of services with a header")
	flags.StringSliceVar(&i.serviceIDs, "service-ids", nil, "the numbers of services, instead of --csv")
	flags.StringToStringVar(&i.columns, "map", nil, "the header of a field, such as plan='Tariff name'")
	flags.StringVar(&i.folder, "folder", "fleet", "the folder of the manifests")
	flags.StringVar(&i.account, "account", "default", "the CarrierAccount of the services")
	flags.BoolVar(&i.kustomize, "kustomize", false, "also write a kustomization.yaml that lists the manifests")
	flags.BoolVar(&i.report, "report", false, "compare the applied manifests of the folder with the carrier")
	flags.BoolVar(&i.accept, "accept", false, "write the carrier's plans into the manifests of the folder")
	command.MarkFlagsMutuallyExclusive("csv", "service-ids", "report", "accept")
	command.MarkFlagsOneRequired("csv", "service-ids", "report", "accept")
	return command
}

func (i *importer) run(ctx context.Context) error {
	switch {
	case i.report:
		return i.compare(ctx)
	case i.accept:
		return i.acceptCarriers(ctx)
	}
	rows, err := i.rows()
	if err != nil {
		return fmt.Errorf("nothing is written: %w", err)
	}
	return i.write(rows)
}

func (i *importer) rows() (rows []imports.Row, err error) {
	if i.csv == "" {
		return imports.Numbers(i.serviceIDs)
	}
	file, err := os.Open(i.csv)
	if err != nil {
		return nil, fmt.Errorf("open the list: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return imports.Read(file, i.columns)
}

// write writes the manifests. A file that exists is kept.
func (i *importer) write(rows []imports.Row) error {
	namespace, _, err := i.connection.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return fmt.Errorf("find the namespace: %w", err)
	}
	if err := os.MkdirAll(i.folder, 0o750); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	counts := make(map[fileState]int)
	for at, row := range rows {
		text, err := imports.Manifest(row, imports.Target{Namespace: namespace, Account: i.account})
		if err != nil {
			return err
		}
		state, err := keepOrWrite(filepath.Join(i.folder, imports.FileName(row)), text)
		if err != nil {
			return err
		}
		counts[state]++
		if err := i.progress(at+1, len(rows)); err != nil {
			return err
		}
	}
	if err := i.writeKustomization(rows); err != nil {
		return err
	}
	return i.printf("%s: %s written, %d as before, %d kept that differ from the list.\nNext: %s, then "+
		"kubectl broadband import --report --folder %s\n", i.folder, judge.Counted(counts[fileWritten], "manifest"),
		counts[fileSame], counts[fileDiffers], i.applying(), i.folder)
}

const kustomizationFile = "kustomization.yaml"

// writeKustomization writes the kustomization, if it is asked for.
func (i *importer) writeKustomization(rows []imports.Row) error {
	if !i.kustomize {
		return nil
	}
	text, err := imports.Kustomization(rows)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(i.folder, kustomizationFile), text, 0o600); err != nil {
		return fmt.Errorf("write the kustomization: %w", err)
	}
	return nil
}

// applying is the command that applies the folder.
func (i *importer) applying() string {
	if _, err := os.Stat(filepath.Join(i.folder, kustomizationFile)); err == nil {
		return "kubectl apply --server-side -k " + i.folder
	}
	return "kubectl apply --server-side -f " + i.folder
}

// fileState is what became of a file of the folder.
type fileState string

const (
	fileWritten fileState = "written"
	fileSame    fileState = "same"
	fileDiffers fileState = "differs"
)

// keepOrWrite writes a file unless it exists.
func keepOrWrite(file string, text []byte) (fileState, error) {
	held, err := os.ReadFile(file) //nolint:gosec // the folder is named by the user
	state := fileDiffers
	switch {
	case errors.Is(err, fs.ErrNotExist):
		state, err = fileWritten, os.WriteFile(file, text, 0o600)
	case bytes.Equal(held, text):
		state = fileSame
	}
	if err != nil {
		return state, fmt.Errorf("write the manifest: %w; run the command again to continue", err)
	}
	return state, nil
}

// progress draws a bar on a terminal.
func (t *tool) progress(done, all int) error {
	const long, steps = 40, 100
	if !t.Terminal || done != all && done%max(1, all/steps) != 0 {
		return nil
	}
	full, end := done*long/all, ""
	if done == all {
		end = "\n"
	}
	return t.printf("\r[%s%s] %d of %d%s", strings.Repeat("#", full), strings.Repeat(" ", long-full), done, all, end)
}
