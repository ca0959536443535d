// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	. "github.com/onsi/gomega"
)

func TestAStepThatFailsIsRepeatedUntilItIsDoneOrThereIsNoMoreTime(t *testing.T) {
	busy, wrong := errors.New("busy"), errors.New("wrong")
	for name, test := range map[string]struct {
		doneAt int // 0: never
		fails  func(step int) error
		expect func(g *WithT, steps int, err error)
	}{
		"fails, and then succeeds": {3, func(step int) error {
			if step < 3 {
				return busy
			}
			return nil
		}, func(g *WithT, steps int, err error) {
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(steps).To(Equal(3))
		}},
		"is done and fails": {2, func(int) error { return wrong }, func(g *WithT, steps int, err error) {
			g.Expect(err).To(MatchError(wrong))
			g.Expect(wait.Interrupted(err)).To(BeFalse())
			g.Expect(steps).To(Equal(2))
		}},
		"always fails": {0, func(int) error { return busy }, func(g *WithT, _ int, err error) {
			g.Expect(err).To(MatchError(busy))
			g.Expect(wait.Interrupted(err)).To(BeTrue())
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				steps := 0
				err := poll(t.Context(), time.Minute, func(context.Context) (bool, error) {
					steps++
					return steps == test.doneAt, test.fails(steps)
				})
				test.expect(NewWithT(t), steps, err)
			})
		})
	}
}
