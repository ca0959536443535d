// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import (
	"os"
	"syscall"
)

// childAttributes leave a child in the demo's process group: Ctrl-C reaches all of them.
func childAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// killGroup kills a child alone.
func killGroup(child *os.Process) error { return child.Kill() }

// lockFile locks nothing.
func lockFile(*os.File) error { return nil }
