// SPDX-License-Identifier: Apache-2.0

// Site checks the links of the documentation that `make site` builds with Hugo.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// folder is where make site builds the documentation.
const folder = "bin/site"

// run checks the site. Its working directory is the top of the repository.
func run() error {
	built, err := read(folder)
	if err != nil {
		return err
	}
	broken, links := built.check(".")
	if len(broken) > 0 {
		return errors.Join(broken...)
	}
	_, err = fmt.Fprintf(os.Stdout, "site: %s has %d links, and all of them lead somewhere\n", folder, links)
	return err //nolint:wrapcheck // there is no more to say
}
