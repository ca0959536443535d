// SPDX-License-Identifier: Apache-2.0

// Layout measures what a reader of the code has to go through, and keeps it from growing:
//
//	go run ./hack/check/layout                    fails if a figure is not the limit in limits.yaml
//	go run ./hack/check/layout -lower             lowers the limits to figures that have fallen, and adds new packages
//	go run ./hack/check/layout PACKAGE            counts references between files, and those that lead back
//	go run ./hack/check/layout PACKAGE FUNCTION   also follows the calls of a function, or a Type.Method
//
// A reference is the use of a name that another file of the package declares. The files of a package
// are put in the order in which the fewest references lead back to an earlier file: those are the
// references against the order.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/broadband-operator/broadband-operator/hack/internal/typed"
)

func main() {
	ctx := context.Background() //nolint:forbidigo // the root context of the program
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "layout:", err)
		os.Exit(2)
	}
}

var errUsage = errors.New("usage: layout [-lower | PACKAGE [FUNCTION]]")

func run(ctx context.Context, out io.Writer, args []string) error {
	here := tree{".", listFile, "pkg/decide", walks()}
	switch {
	case len(args) == 0:
		return here.check(ctx, out)
	case len(args) == 1 && args[0] == "-lower":
		return here.lower(ctx, out)
	case strings.HasPrefix(args[0], "-") || len(args) > 2:
		return errUsage
	}
	return show(ctx, out, args)
}

// show prints the figures of a package, and of a function in it.
func show(ctx context.Context, out io.Writer, args []string) error {
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
