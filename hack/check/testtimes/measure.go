// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// measurement is the time that one test binary took, in seconds.
type measurement struct {
	Package string  `json:"package"` // its folder, relative to the module's
	Wall    float64 `json:"wall"`
	CPU     float64 `json:"cpu"` // of the binary and of all processes that it started and waited for
	Failed  bool    `json:"failed"`
}

// measurePackage measures a test binary, which go test runs in its package's folder.
func measurePackage(folder string, program []string, now func() time.Time) error {
	name, err := packageFolder()
	if err != nil {
		return err
	}
	return measure(folder, name, program, now)
}

// measure runs a program and writes its measurement to a folder.
func measure(folder, name string, program []string, now func() time.Time) error {
	command := exec.Command(program[0], program[1:]...) //nolint:noctx,gosec // go test ends it; the program is its own
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	report := folder + string(filepath.Separator) + fileName(name) // the root package is named "."
	command.Env = append(os.Environ(), "TEST_REPORT="+report)
	began := now()
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", program[0], err)
	}
	stopForwarding := forwardSignals(command.Process)
	failure := command.Wait()
	stopForwarding()
	usage := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	measured := measurement{name, now().Sub(began).Seconds(), usage.Seconds(), failure != nil}
	return errors.Join(failure, measured.write(folder))
}

// forwardSignals forwards termination signals to the program. For example, go test sends SIGQUIT to
// a test that takes too long, so that the test prints its goroutines.
func forwardSignals(to *os.Process) (stop func()) {
	received := make(chan os.Signal, 1)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	go func() {
		for one := range received {
			_ = to.Signal(one) //nolint:errcheck // it may have ended
		}
	}()
	return func() { signal.Stop(received); close(received) }
}

// packageFolder returns the working directory relative to the module's root. It is the folder of
// the package, because go test runs a test binary in its package's folder.
func packageFolder() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the package: %w", err)
	}
	folder := "."
	for at := here; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return folder, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is in no Go module", here)
		}
		folder = filepath.Join(filepath.Base(at), folder)
	}
}

// fileName returns the prefix of the file names of a package.
func fileName(folder string) string {
	return strings.ReplaceAll(folder, string(filepath.Separator), "_")
}

func (m measurement) write(folder string) error {
	file, err := os.CreateTemp(folder, fileName(m.Package)+".*"+measuredSuffix)
	if err != nil {
		return fmt.Errorf("keep the measurement of %s: %w", m.Package, err)
	}
	return errors.Join(json.NewEncoder(file).Encode(m), file.Close())
}
