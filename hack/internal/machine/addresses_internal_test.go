// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"net"
	"testing"
	"time"
)

// Two demos that start at the same time must not choose the same port.
func TestAnAddressIsReservedUntilItsProcessListens(t *testing.T) {
	clock := func() time.Time { return time.Time{} }
	first, second := New(Settings{}, t.Output(), clock), New(Settings{}, t.Output(), clock)
	address, err := first.freeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if second.reserve(t.Context(), address) == nil {
		t.Errorf("another machine has reserved %s, too", address)
	}
	var config net.ListenConfig
	process, err := config.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("the process cannot listen: %v", err)
	}
	if err := process.Close(); err != nil {
		t.Error(err)
	}
}
