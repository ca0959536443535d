// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/show"
)

// The output formats.
const (
	outputTable    = "table"
	outputJSON     = "json"
	outputYAML     = "yaml"
	outputMarkdown = "markdown"
	outputHTML     = "html"
	outputCSV      = "csv"
)

type outputFlag struct {
	format  string
	allowed []string
}

// addOutput adds the flag -o with these formats in addition to table, json and yaml.
func addOutput(command *cobra.Command, more ...string) *outputFlag {
	output := &outputFlag{format: outputTable, allowed: append([]string{outputTable, outputJSON, outputYAML}, more...)}
	command.Flags().VarP(output, "output", "o", "one of "+strings.Join(output.allowed, ", "))
	formats := cobra.FixedCompletions(output.allowed, cobra.ShellCompDirectiveNoFileComp)
	must(command.RegisterFlagCompletionFunc("output", formats))
	return output
}

func (o *outputFlag) String() string { return o.format }

func (*outputFlag) Type() string { return "format" }

// Set implements the flag.
func (o *outputFlag) Set(value string) error {
	if !slices.Contains(o.allowed, value) {
		return fmt.Errorf("the output is one of %s", strings.Join(o.allowed, ", "))
	}
	o.format = value
	return nil
}

// pluginVersion is the version of JSON and YAML. Fields are added, never changed or removed.
const pluginVersion = "plugin.wholesale.broadband/v1"

// write writes sections or, with -o json or -o yaml, a document of a kind.
func (t *tool) write(output *outputFlag, kind string, data any, sections ...show.Section) error {
	if output.format == outputTable {
		return show.Write(t.Out, t.Style, sections...)
	}
	body, err := marshalDocument(kind, data)
	if err == nil && output.format == outputYAML {
		body, err = yaml.JSONToYAML(body)
	}
	if err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return t.print(string(body))
}

func marshalDocument(kind string, data any) ([]byte, error) {
	head, err := json.MarshalIndent(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}{pluginVersion, kind}, "", "  ")
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it writes
	}
	body, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it writes
	}
	if rest, found := strings.CutPrefix(string(body), "{\n"); found {
		return []byte(strings.TrimSuffix(string(head), "\n}") + ",\n" + rest + "\n"), nil
	}
	return append(head, '\n'), nil
}

func (t *tool) print(text string) error {
	if _, err := fmt.Fprint(t.Out, text); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	return nil
}

func (t *tool) printf(format string, values ...any) error {
	return t.print(fmt.Sprintf(format, values...))
}

// must panics on an error that only a mistake in this package can cause.
func must(err error) {
	if err != nil {
		panic("kubectl-broadband: " + err.Error())
	}
}
