// SPDX-License-Identifier: Apache-2.0

// Redis is the cache that Argo CD requires, for machines without an installed redis-server. It
// keeps everything in memory and serves until it receives SIGINT or SIGTERM.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:6379", "`address`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(
		context.Background(), //nolint:forbidigo // the root context of the program
		os.Interrupt, syscall.SIGTERM)
	second := time.Tick(time.Second) //nolint:forbidigo // the real clock
	err := serve(ctx, *listen, second)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "redis:", err)
		os.Exit(1)
	}
}

// serve advances the server's time every second so that keys expire, because miniredis has no
// clock.
func serve(ctx context.Context, listen string, second <-chan time.Time) error {
	server := miniredis.NewMiniRedis()
	if err := server.StartAddr(listen); err != nil {
		return fmt.Errorf("listen on %s: %w", listen, err)
	}
	defer server.Close()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-second:
			server.FastForward(time.Second)
		}
	}
}
