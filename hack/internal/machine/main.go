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

// Main is the main function of a program that starts processes: it runs until that is done, or
// somebody asks it to end, and exits 1 if it failed.
func Main(program string, run func(ctx context.Context, args []string, out io.Writer) error) {
	// Every child is started from the main thread: see Machine.Start.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(
		context.Background(), //nolint:forbidigo // a main function is where contexts come from
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, program+":", err)
		os.Exit(1)
	}
}
