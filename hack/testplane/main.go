// SPDX-License-Identifier: Apache-2.0

// Testplane runs one etcd and kube-apiserver for all packages of tests that can share them. It prints
// the variable of the environment that tells the tests where they are, and ends when its standard
// input does: with the script that started it at the latest.
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
		context.Background(), //nolint:forbidigo // a main function is where contexts come from
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
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder that stays harms nobody
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

// awaitEnd waits until nothing more is to be read, or this process is told to end.
func awaitEnd(ctx context.Context, in io.Reader) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, in) //nolint:errcheck // input that cannot be read has ended too
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}
