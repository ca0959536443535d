// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
	"github.com/broadband-operator/broadband-operator/config"
)

type importer struct {
	*tool

	output     *outputFlag
	csv        string
	serviceIDs []string
	columns    map[string]string
	separator  string
	errors     string // the file of all mistakes
	folder     string
	account    string
	report     bool
	accept     bool
}

func (t *tool) importCommand() *cobra.Command {
	i := &importer{tool: t}
	command := &cobra.Command{
		Use:   "import",
		Short: "Make manifests for an existing fleet, and compare them with what the carrier has",
		Long: "1. --csv or --service-ids: writes a manifest for each service into a folder, with managementPolicy: Plan.\n" +
			"   Nothing is written while the list has a mistake. Files that exist are kept, so that an import can be\n" +
			"   repeated; exit code 1 if they differ from the list.\n" +
			"2. Apply the folder. The operator reads the services and sends nothing.\n" +
			"3. --report: shows service numbers that the carrier does not know, plans that differ, names that are\n" +
			"   spelled differently, cancelled services, and what else needs a look. Exit code 1 if there are any.\n" +
			"4. --accept: writes the carrier's plans into the manifests, and nothing else. Apply them. When all match,\n" +
			"   set managementPolicy: Manage.\n\n" +
			"Columns are recognized by their header. --map names a header: --map plan='Tariff name'. The fields are\n" +
			strings.Join(imports.FieldNames(), ", ") + ".",
		Example: examples("kubectl broadband import --csv fleet.csv --account default --folder fleet/",
			"kubectl broadband import --service-ids 1234567,1234568 --folder fleet/",
			"kubectl broadband import --report --folder fleet/", "kubectl broadband import --accept --folder fleet/"),
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return i.run(command.Context()) },
	}
	i.output = addOutput(command, outputCSV, outputHTML)
	i.addFlags(command)
	return command
}

func (i *importer) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.StringVar(&i.csv, "csv", "", "a list of services with a header, in UTF-8 or UTF-16")
	flags.StringSliceVar(&i.serviceIDs, "service-ids", nil, "the numbers of services, instead of --csv")
	flags.StringToStringVar(&i.columns, "map", nil, "the header of a field, such as plan='Tariff name'")
	flags.StringVar(&i.separator, "separator", "", "what separates columns: , ; | or tab; default: as in the header")
	flags.StringVar(&i.errors, "errors", "", "a file for all mistakes of the list; the screen shows 20")
	flags.StringVar(&i.folder, "folder", "fleet", "the folder of the manifests")
	flags.StringVar(&i.account, "account", "default", "the CarrierAccount of the services")
	flags.BoolVar(&i.report, "report", false, "compare the applied manifests of the folder with the carrier")
	flags.BoolVar(&i.accept, "accept", false, "write the carrier's plans into the manifests of the folder")
	command.MarkFlagsMutuallyExclusive("csv", "service-ids", "report", "accept")
	command.MarkFlagsOneRequired("csv", "service-ids", "report", "accept")
}

func (i *importer) run(ctx context.Context) error {
	switch {
	case i.report:
		return i.compare(ctx)
	case i.accept:
		return i.acceptCarriers(ctx)
	}
	return i.importList(ctx)
}

func (i *importer) importList(ctx context.Context) error {
	namespace, _, err := i.connection.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return fmt.Errorf("find the namespace: %w", err)
	}
	list, err := i.list()
	if err != nil {
		return fmt.Errorf("nothing is written: %w", err)
	}
	manifests, err := i.manifests(ctx, list, namespace)
	if err != nil {
		return err
	}
	held, err := i.readFolder()
	if err != nil {
		return fmt.Errorf("nothing is written: %w", err)
	}
	against := imports.CompareFolder(manifests, held)
	if err := i.write(against); err != nil {
		return err
	}
	missing := i.lookUpAccount(ctx, namespace)
	return i.printImported(list, against, missing)
}

func (i *importer) list() (*imports.List, error) {
	if i.csv == "" {
		return imports.Numbers(i.serviceIDs), nil
	}
	text, err := os.ReadFile(i.csv)
	if err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	list, err := imports.Read(text, imports.Options{Separator: i.separator, Columns: i.columns})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.csv, err)
	}
	return list, nil
}

func (i *importer) manifests(ctx context.Context, list *imports.List, namespace string) ([]imports.Manifest, error) {
	definition, err := config.Manifests.ReadFile("crd/bases/wholesale.broadband_broadbandservices.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the CustomResourceDefinition: %w", err)
	}
	rules, err := imports.NewRules(definition)
	if err != nil {
		return nil, err
	}
	made, err := list.Manifests(ctx, imports.Target{Namespace: namespace, Account: i.account}, rules)
	mistakes, is := errors.AsType[imports.LineErrors](err)
	switch {
	case is:
		return nil, errors.Join(fmt.Errorf("nothing is written; the list has %s:\n%w",
			judge.Counted(len(mistakes), "mistake"), mistakes), i.writeErrors(mistakes))
	case err != nil:
		return nil, fmt.Errorf("nothing is written: %w", err)
	}
	return made, i.writeErrors(nil)
}

// errorsTitle is the first line of a file of mistakes. Any other file is not overwritten.
const errorsTitle = "The mistakes that kubectl broadband import has found:\n"

// writeErrors writes all mistakes into a file, if that is wanted.
func (i *importer) writeErrors(mistakes imports.LineErrors) error {
	if i.errors == "" {
		return nil
	}
	present, err := os.ReadFile(i.errors)
	switch {
	case err == nil && !strings.HasPrefix(string(present), errorsTitle):
		return usageError("--errors %s: the file exists, and is no list of mistakes: name another one", i.errors)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write the mistakes: %w", err)
	}
	text := errorsTitle + strings.Join(append(mistakes.Lines(), ""), "\n")
	if err := os.WriteFile(i.errors, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the mistakes: %w", err)
	}
	return nil
}

// write writes the manifests that the folder does not have.
func (i *importer) write(against *imports.Against) error {
	if err := os.MkdirAll(i.folder, 0o750); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	for at, manifest := range against.New {
		text, err := manifest.Text()
		if err != nil {
			return err
		}
		if err := create(filepath.Join(i.folder, manifest.FileName()), text); err != nil {
			return err
		}
		if err := i.progress(at+1, len(against.New)); err != nil {
			return err
		}
	}
	return nil
}

func create(file string, text []byte) (err error) {
	const isNew = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	made, err := os.OpenFile(file, isNew, 0o600) //nolint:gosec // the folder is named by the user
	if errors.Is(err, fs.ErrExist) {
		return usageError("%s exists and has another manifest: move it, and run the command again to continue", file)
	}
	if err != nil {
		return fmt.Errorf("write the manifest: %w; run the command again to continue", err)
	}
	_, err = made.Write(text)
	return errors.Join(err, made.Close())
}

func (i *importer) next() string {
	return "Next: " + show.Applying(i.folder) + ", then kubectl broadband import --report --folder " + i.folder
}

// lookUpTimeout limits the wait for an API server that an import can do without.
const lookUpTimeout = 5 * time.Second

// lookUpAccount finds out whether the account of the services exists, if a cluster answers.
func (i *importer) lookUpAccount(ctx context.Context, namespace string) *imports.AccountLookup {
	looked := &imports.AccountLookup{Namespace: namespace, Account: i.account}
	cluster, err := i.clusterWithin(lookUpTimeout)
	if err == nil {
		looked.Accounts, err = cluster.AccountNames(ctx, namespace)
	}
	looked.Known = err == nil
	return looked
}

func (i *importer) printImported(list *imports.List, against *imports.Against, account *imports.AccountLookup) error {
	lines := append([]string{fmt.Sprintf("%s: %s written, %d as before, %d kept although they differ from the list.",
		i.folder, judge.Counted(len(against.New), "manifest"), against.Same, len(against.Changed))}, list.Notes()...)
	lines = append(lines, against.Notes()...)
	lines = append(lines, account.Notes()...)
	lines = append(lines, i.next(), "")
	if err := i.print(strings.Join(lines, "\n")); err != nil {
		return err
	}
	if len(against.Changed) > 0 {
		if err := i.writeErrors(against.Changed); err != nil {
			return err
		}
	}
	if len(against.Changed) > 0 || account.Missing() {
		return exitWith(ExitNeeds)
	}
	return nil
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
