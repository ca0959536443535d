// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/prometheus/procfs"
)

// reportCPU adds the CPU seconds of this process's control planes to the report of a measured run.
// It must be called before they end.
func reportCPU() error {
	file := reportFile()
	if file == "" {
		return nil
	}
	seconds, err := controlPlaneCPU()
	if err != nil {
		return fmt.Errorf("measure the control plane: %w", err)
	}
	return os.WriteFile(file+".controlplane."+strconv.Itoa(os.Getpid()), fmt.Appendf(nil, "%.2f\n", seconds), 0o600)
}

// controlPlaneCPU returns the CPU time of the etcd and kube-apiserver children of this process.
func controlPlaneCPU() (seconds float64, err error) {
	processes, err := procfs.AllProcs()
	if err != nil {
		return 0, err
	}
	for _, process := range processes {
		stat, err := process.Stat()
		if err != nil {
			continue // it has ended meanwhile
		}
		if stat.PPID == os.Getpid() && slices.Contains([]string{etcdProgram, apiServerProgram}, stat.Comm) {
			seconds += stat.CPUTime()
		}
	}
	return seconds, nil
}
