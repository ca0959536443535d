// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package machine

import (
	"os"
	"syscall"
)

// childAttributes leave a child in our process group, so Ctrl-C reaches all processes.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// killGroup kills only the child, not its own children.
func killGroup(child *os.Process) error { return child.Kill() }

// lockFile locks nothing.
func lockFile(*os.File) error { return nil }
