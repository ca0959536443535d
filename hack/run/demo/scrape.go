// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// scrapeInterval is the time between two scrapes of the manager's metrics.
const scrapeInterval = time.Second

// endOfScrape is the line after each page of metrics.
const endOfScrape = "# end of the scrape\n"

// scraping runs a function, and writes the manager's metrics to a file once a second until some
// seconds after the function has ended, so that the last rates are complete.
func (d *demo) scraping(ctx context.Context, do func(context.Context) error) error {
	file, err := os.Create(d.scrapes)
	if err != nil {
		return fmt.Errorf("write the scrapes: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	const longer = 15
	after, result := longer, error(nil)
	for after > 0 && ctx.Err() == nil {
		page, err := d.Metrics(ctx)
		if err == nil {
			_, err = file.WriteString(page + endOfScrape)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("scrape the manager: %w", err), file.Close())
		}
		if done == nil {
			after--
		}
		select {
		case result = <-done:
			done = nil
		case <-time.After(scrapeInterval): //nolint:forbidigo // the demo runs in real time
		}
	}
	return errors.Join(result, ctx.Err(), file.Close())
}
