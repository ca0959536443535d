// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	_ "embed"
)

// mutant is the operator with one rule broken. Its number is its position in the list.
type mutant struct {
	number int

	Breaks   string              `json:"breaks"` // what the operator does instead of following the rule
	File     string              `json:"file"`
	Edits    []edit              `json:"edits"`
	KilledBy map[string][]string `json:"killedBy"` // layer → tests
}

// edit replaces a text that occurs exactly once in a file.
type edit struct {
	Old string `json:"old"`
	New string `json:"new"`
}

//go:embed mutants.yaml
var list []byte

// mutants returns all listed mutants.
func mutants() ([]mutant, error) {
	var all []mutant
	if err := yaml.UnmarshalStrict(list, &all); err != nil {
		return nil, fmt.Errorf("read mutants.yaml: %w", err)
	}
	for i := range all {
		all[i].number = i + 1
	}
	return all, nil
}

// apply returns a text after the edit. It fails if the old text does not occur exactly once,
// because then the production code has changed and the mutant must be updated.
func (e edit) apply(text string) (string, error) {
	if times := strings.Count(text, e.Old); times != 1 {
		return "", fmt.Errorf("this text is there %d times, and not once: %s", times, e.Old)
	}
	return strings.Replace(text, e.Old, e.New, 1), nil
}

// broken returns the content of the mutant's file with its edits applied.
func (m mutant) broken(root string) (string, error) {
	read, err := os.ReadFile(filepath.Join(root, m.File)) //nolint:gosec // a file of this tree
	if err != nil {
		return "", fmt.Errorf("mutant %d: %w", m.number, err)
	}
	text := string(read)
	for _, e := range m.Edits {
		if text, err = e.apply(text); err != nil {
			return "", fmt.Errorf("mutant %d: %s: %w", m.number, m.File, err)
		}
	}
	return text, nil
}

// overlay writes the broken file into a folder, with its overlay.
func (m mutant) overlay(root, folder string) (string, error) {
	text, err := m.broken(root)
	if err != nil {
		return "", err
	}
	return writeOverlay(filepath.Join(root, m.File), []byte(text), folder)
}

// writeOverlay writes a broken file into a folder, and the overlay file with which `go test
// -overlay` replaces the original. It returns the path of the overlay file.
func writeOverlay(file string, text []byte, folder string) (string, error) {
	sound, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", file, err)
	}
	broken := filepath.Join(folder, "broken.go")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{sound: broken}})
	if err != nil {
		return "", fmt.Errorf("encode the overlay: %w", err)
	}
	path := filepath.Join(folder, "overlay.json")
	if err := write(broken, text); err != nil {
		return "", err
	}
	return path, write(path, replace)
}

func write(path string, text []byte) error {
	const ownerOnly = 0o600
	if err := os.WriteFile(path, text, ownerOnly); err != nil {
		return fmt.Errorf("write a mutant: %w", err)
	}
	return nil
}
