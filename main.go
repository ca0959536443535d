// SPDX-License-Identifier: Apache-2.0

// The manager of broadband-operator.
package main

import (
	"os"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/broadband-operator/broadband-operator/internal/manager"
)

func main() {
	os.Exit(manager.Main(ctrl.SetupSignalHandler(), os.Args[1:]))
}
