// SPDX-License-Identifier: Apache-2.0

// Package ports reserves addresses for processes that tests and tools start.
package ports

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net"
	"sync"
)

// These ports are below the range for outgoing connections, so that a port that is free now is
// still free when the process starts half a minute later.
const (
	firstPort = 20000
	ports     = 12000
)

// Reserve returns an address of the loopback interface at which no process listens, and that
// nothing else that uses this package chooses until this program ends.
func Reserve(ctx context.Context) (string, error) {
	const tries = 100
	var failed error
	for range tries {
		offset, err := rand.Int(rand.Reader, big.NewInt(ports))
		if err != nil {
			return "", fmt.Errorf("choose a port: %w", err)
		}
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+offset.Int64())
		if failed = reserve(ctx, address); failed == nil {
			return address, nil
		}
	}
	return "", fmt.Errorf("find a free port: %w", failed)
}

// reserved are the ports of this program. A socket that nothing refers to would be closed.
var reserved struct {
	sync.Mutex

	sockets []net.PacketConn
}

// reserve reserves an address by opening it for UDP, which leaves TCP to the process that will
// listen there.
func reserve(ctx context.Context, address string) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", address, err)
	}
	socket, err := config.ListenPacket(ctx, "udp", address)
	if err == nil {
		reserved.Lock()
		defer reserved.Unlock()
		reserved.sockets = append(reserved.sockets, socket)
	}
	return errors.Join(err, listener.Close())
}
