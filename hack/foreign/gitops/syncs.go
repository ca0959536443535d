// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
)

// syncs returns how many times Argo CD has synced the Application, from the controller's metrics.
func (s *site) syncs(ctx context.Context) (int, error) {
	total := 0
	err := machine.Get(ctx, "http://"+s.addresses.controllerMetrics+"/metrics", func(metrics io.Reader) error {
		lines := bufio.NewScanner(metrics)
		for lines.Scan() {
			count, err := syncsIn(lines.Text(), s.name)
			if err != nil {
				return err
			}
			total += count
		}
		return lines.Err()
	})
	return total, err
}

// moreSyncs returns a condition that holds once there were more syncs than before.
func (s *site) moreSyncs(before int) wait.ConditionWithContextFunc {
	return func(ctx context.Context) (bool, error) {
		now, err := s.syncs(ctx)
		return now > before, err
	}
}

// syncsIn returns the number of an Application's syncs in a line of metrics, 0 for any other line.
func syncsIn(line, application string) (int, error) {
	series, count, found := strings.Cut(line, "} ")
	if !found || !strings.HasPrefix(series, "argocd_app_sync_total{") ||
		!strings.Contains(series, `name="`+application+`"`) {
		return 0, nil
	}
	number, err := strconv.Atoi(count)
	if err != nil {
		return 0, errors.New("not a number of syncs: " + line)
	}
	return number, nil
}
