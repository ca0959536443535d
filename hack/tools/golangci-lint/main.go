// SPDX-License-Identifier: Apache-2.0

// Golangci-lint is golangci-lint with the Kubernetes API linter compiled in: a module plugin must
// be compiled in, and golangci-lint's own command for that clones its repository.
package main

import (
	"fmt"
	"os"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "sigs.k8s.io/kube-api-linter" // registers itself as kubeapilinter
)

func main() {
	if err := commands.Execute(commands.BuildInfo{Version: "pinned by go.mod"}); err != nil {
		fmt.Fprintln(os.Stderr, "golangci-lint:", err)
		os.Exit(exitcodes.Failure)
	}
}
