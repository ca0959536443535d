// SPDX-License-Identifier: Apache-2.0

// Testtimes measures the time that a test run takes. hack/check/test.sh makes `go test` run each test
// binary through it, and prints its tables at the end:
//
//	go test -exec 'testtimes exec FOLDER' ./...   measures each test binary
//	testtimes named FOLDER NAME PROGRAM           measures another program
//	testtimes packages FOLDER                     prints a line for each package
//	testtimes specs FOLDER                        prints the specs that took longest
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

func main() {
	err := run(os.Args[1:], time.Now) //nolint:forbidigo // the only use of the real clock
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		os.Exit(failed.ExitCode()) // of the tests, which have reported why
	case err != nil:
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		os.Exit(2)
	}
}

// errUsage is the error for invalid arguments.
var errUsage = errors.New("usage: testtimes exec FOLDER PROGRAM [ARGUMENT...] | " +
	"named FOLDER NAME PROGRAM [ARGUMENT...] | packages FOLDER | specs FOLDER")

func run(args []string, now func() time.Time) error {
	switch {
	case len(args) >= 3 && args[0] == "exec":
		return measurePackage(args[1], args[2:], now)
	case len(args) >= 4 && args[0] == "named":
		return measure(args[1], args[2], args[3:], now)
	case len(args) == 2 && args[0] == "packages":
		return showPackages(os.Stdout, args[1])
	case len(args) == 2 && args[0] == "specs":
		return showSpecs(os.Stdout, args[1])
	}
	return errUsage
}
