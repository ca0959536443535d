// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// candidate is a manager that leads, or waits to lead.
type candidate struct {
	ctrl.Manager

	elected chan struct{}
	logger  logr.Logger
}

func (c candidate) Elected() <-chan struct{} { return c.elected }
func (c candidate) GetLogger() logr.Logger   { return c.logger }

// Without the message, a standby would look as if it hung (R29).
func TestR29StandbyReportsItsLease(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		led  time.Duration // when it becomes the leader; 0: never
		logs bool
	}{
		"another leads":                        {[]string{"--leader-elect"}, 0, true},
		"another leads, of the same namespace": {[]string{"--leader-elect", "--namespaces=shop"}, 0, true},
		"the lease is free":                    {[]string{"--leader-elect"}, time.Second, false},
		"it needs no lease":                    {nil, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				own, err := parse(test.args, t.Output())
				if err != nil {
					t.Fatal(err)
				}
				lease := own.operatorNamespace + "/" + own.leaseName()
				lines := logLines(t, own, test.led)
				reported := len(lines) == 1 && strings.Contains(lines[0], "standing by") && strings.Contains(lines[0], lease)
				if reported != test.logs || !reported && len(lines) > 0 {
					t.Errorf("it logs %q, and the lease is %s", lines, lease)
				}
			})
		})
	}
}

// logLines returns the log lines of a manager that becomes the leader after some time; 0: never.
func logLines(t *testing.T, own settings, led time.Duration) (lines []string) {
	t.Helper()
	held := candidate{elected: make(chan struct{}), logger: funcr.New(func(_, line string) {
		lines = append(lines, line)
	}, funcr.Options{})}
	if led > 0 {
		time.AfterFunc(led, func() { close(held.elected) })
	}
	logStandby(t.Context(), held, own)
	return lines
}
