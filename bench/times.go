// SPDX-License-Identifier: Apache-2.0

package main

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// law is the distribution of the times that requests take: lognormal, or constant if sigma is zero.
type law struct {
	Median simulator.Duration `json:"median"`
	Sigma  float64            `json:"sigma,omitempty"`
	Most   simulator.Duration `json:"most,omitempty"` // longer times are cut to this one; none if zero
}

// times are the laws of a carrier's operations. The carrier, the replay limit and the measurement
// compute the same time for a request, so none of them reports it to another.
type times map[simulator.Operation]law

// of returns how long the requests of an operation about a service take.
func (t times) of(operation simulator.Operation, service int64) time.Duration {
	of := t[operation]
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(operation))
	random := rand.New(rand.NewPCG(hash.Sum64(), uint64(service))) //nolint:gosec // it has to be repeatable
	took := time.Duration(float64(of.Median) * math.Exp(of.Sigma*random.NormFloat64()))
	if of.Most > 0 {
		took = min(took, time.Duration(of.Most))
	}
	return took
}
