// SPDX-License-Identifier: Apache-2.0

// Golangci-lint is golangci-lint with the Kubernetes API linter, a module plugin, which must be
// compiled in. golangci-lint's own command for that is not used, because it clones golangci-lint's
// repository.
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
