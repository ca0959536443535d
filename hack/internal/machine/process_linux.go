// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"fmt"
	"os"
	"syscall"
)

// childAttributes put a child into a process group of its own, so that Ctrl-C reaches the
// program alone and it can end its children in order; should it be killed, Linux kills them.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup kills a child and the children it has.
func killGroup(child *os.Process) error {
	if err := syscall.Kill(-child.Pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %d and its children: %w", child.Pid, err)
	}
	return nil
}

// lockFile fails when another process has locked the file. The lock ends with the process.
func lockFile(file *os.File) error {
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return nil
}
