// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// Main is the main function of a program that starts processes: it runs until the program is done
// or receives a signal to stop, and exits 1 on failure.
func Main(program string, run func(ctx context.Context, args []string, out io.Writer) error) {
	// Every child is started from the main thread: see Machine.Start.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(
		context.Background(), //nolint:forbidigo // the root context of the program
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, program+":", err)
		os.Exit(1)
	}
}
