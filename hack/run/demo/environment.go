// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// environmentFile is what a shell reads to use the demo.
const environmentFile = "env"

// writeEnvironment writes the file that sets KUBECONFIG to the administrator's, CARRIER to the
// management calls of the simulated carrier, and PATH to kubectl and its plugin.
func (d *demo) writeEnvironment() error {
	return d.WriteFile(environmentFile, fmt.Sprintf("export KUBECONFIG=%s CARRIER=%s PATH=%s:\"$PATH\"\n",
		quoted(d.Admin.Path), quoted("http://"+d.Addresses.CarrierControls+"/_sim"),
		quoted(d.machine.BinDir+":"+d.kubectlFolder())))
}

// quoted returns a text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
