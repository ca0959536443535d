// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"sigs.k8s.io/yaml"

	_ "embed"
)

// survivor is a mutant that no test can kill, or that need not be killed.
type survivor struct {
	Function string `json:"function"` // with the folder
	Operator string `json:"operator"`
	Line     string `json:"line"` // as the mutant has it; what is removed, or nil, as it was
	Why      string `json:"why"`
}

//go:embed survivors.yaml
var explained []byte

// survivors are those that are explained.
func survivors() ([]survivor, error) {
	var all []survivor
	if err := yaml.UnmarshalStrict(explained, &all); err != nil {
		return nil, fmt.Errorf("read survivors.yaml: %w", err)
	}
	return all, nil
}

// explains says whether a survivor is this mutant.
func (s survivor) explains(m site) bool {
	return s.Function == m.function && s.Operator == m.operator && s.Line == m.shown
}
