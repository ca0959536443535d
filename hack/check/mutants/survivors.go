// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"sigs.k8s.io/yaml"

	_ "embed"
)

// survivor is a mutant that cannot or need not be killed.
type survivor struct {
	Function string `json:"function"` // with the folder
	Operator string `json:"operator"`
	Line     string `json:"line"` // after the change, or before it if code is removed or nil is returned; what is dropped
	Why      string `json:"why"`
}

//go:embed survivors.yaml
var explained []byte

// survivors returns the explained survivors.
func survivors() ([]survivor, error) {
	var all []survivor
	if err := yaml.UnmarshalStrict(explained, &all); err != nil {
		return nil, fmt.Errorf("read survivors.yaml: %w", err)
	}
	return all, nil
}

// explains reports whether a survivor is this mutant.
func (s survivor) explains(m site) bool {
	return s.Function == m.function && s.Operator == m.operator && s.Line == m.shown
}
