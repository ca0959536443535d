// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"os"
	"syscall"
)

// childAttributes put a child into its own process group, so that Ctrl-C reaches only the program,
// which can then stop its children in order. If the program is killed, Linux kills the children.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills a child and its own children.
func killGroup(child *os.Process) error {
	if err := syscall.Kill(-child.Pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %d and its children: %w", child.Pid, err)
	}
	return nil
}

// lockFile locks a file, and fails if another process holds the lock. The lock ends with the
// process.
func lockFile(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return nil
}
