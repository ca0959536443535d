// SPDX-License-Identifier: Apache-2.0

package ports

import (
	"net"
	"testing"
)

// Two programs that start at the same time must not choose the same port.
func TestAnAddressIsReservedUntilItsProcessListens(t *testing.T) {
	address, err := Reserve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if reserve(t.Context(), address) == nil {
		t.Errorf("somebody else has reserved %s, too", address)
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
