// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// candidate is a manager that leads, or waits for it.
type candidate struct {
	ctrl.Manager

	elected chan struct{}
	logger  logr.Logger
}

func (c candidate) Elected() <-chan struct{} { return c.elected }
func (c candidate) GetLogger() logr.Logger   { return c.logger }

// "a standby says for what it waits" (R29).
func TestR29AStandbySaysForWhatItWaits(t *testing.T) {
	t.Parallel()
	for story, test := range map[string]struct {
		args []string
		led  time.Duration // when it leads; 0: never
		says bool
	}{
		"another leads":                        {[]string{"--leader-elect"}, 0, true},
		"another leads, of the same namespace": {[]string{"--leader-elect", "--namespaces=shop"}, 0, true},
		"the lease is free":                    {[]string{"--leader-elect"}, time.Second, false},
		"it needs no lease":                    {nil, 0, false},
	} {
		t.Run(story, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				own, err := parse(test.args, t.Output())
				if err != nil {
					t.Fatal(err)
				}
				var lines []string
				held := candidate{elected: make(chan struct{}), logger: funcr.New(func(_, line string) {
					lines = append(lines, line)
				}, funcr.Options{})}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.led > 0 {
					time.AfterFunc(test.led, func() { close(held.elected) })
				}
				tellStandby(ctx, held, own)
				lease := own.operatorNamespace + "/" + own.leaseName()
				said := slices.ContainsFunc(lines, func(line string) bool {
					return strings.Contains(line, "standing by") && strings.Contains(line, lease)
				})
				if said != test.says || len(lines) > 1 {
					t.Errorf("it says %q, of the lease %s", lines, lease)
				}
			})
		})
	}
}
