// SPDX-License-Identifier: Apache-2.0

// Layout measures how the files of a package depend on each other:
//
//	go run ./hack/layout PACKAGE            counts references between files, and those against the order
//	go run ./hack/layout PACKAGE FUNCTION   also follows the calls of a function, or a Type.Method
//
// A greedy search orders the files so that few references go against the order. A reference is the
// use of a name that another file of the package declares.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

func main() {
	ctx := context.Background() //nolint:forbidigo // the root context of the program
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "layout:", err)
		os.Exit(2)
	}
}

var errUsage = errors.New("usage: layout PACKAGE [FUNCTION]")

func run(ctx context.Context, out io.Writer, args []string) error {
	if len(args) == 0 || len(args) > 2 {
		return errUsage
	}
	loaded, err := typed.Load(ctx, ".", args[0])
	if err != nil {
		return fmt.Errorf("load the package: %w", err)
	}
	measured := referencesOf(loaded)
	order := measured.order()
	against := measured.against(order)
	printf(out, "%d files, %d references from file to file, %d of them against the order\n",
		len(order), measured.sum(), against.sum())
	against.print(out)
	if len(args) == 1 {
		return nil
	}
	found, err := walk(loaded, args[1])
	if err == nil {
		printf(out, "%s passes through %d functions of %d files, and returns %d times to a file that it had left\n",
			args[1], found.functions, found.files, found.returns)
	}
	return err
}

func printf(out io.Writer, format string, values ...any) {
	fmt.Fprintf(out, format, values...) //nolint:errcheck // a closed output is not worth a message
}
