// SPDX-License-Identifier: Apache-2.0

// Testplane runs one etcd and kube-apiserver for all test packages that can share them. It prints
// the environment variable with their location for the tests, and ends when its standard input is
// closed, which happens at the latest when the script that started it ends.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/broadband-operator/broadband-operator/test/world"
)

func main() {
	ctx, stop := signal.NotifyContext(
		context.Background(), //nolint:forbidigo // the root context of the program
		os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testplane:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	folder, err := os.MkdirTemp("", "testplane-")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a leftover temporary folder is harmless
	plane, variable, err := world.StartSharedControlPlane(ctx, folder)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, variable)
	if err == nil {
		awaitEnd(ctx, in)
	}
	return errors.Join(err, plane.Stop())
}

// awaitEnd waits until the input is closed or this process receives a signal to stop.
func awaitEnd(ctx context.Context, in io.Reader) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, in) //nolint:errcheck // a read error also ends the input
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
