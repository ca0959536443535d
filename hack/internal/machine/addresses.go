// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net"
)

// Addresses are the addresses on which the processes listen: free ports of the loopback interface.
type Addresses struct {
	etcd, etcdPeer, apiServer, managerHealth, managerMetrics string

	Carrier         string
	CarrierControls string
}

// FindAddresses finds free addresses for the processes of the machine, and others for the caller.
func (m *Machine) FindAddresses(ctx context.Context, others ...*string) error {
	a := &m.Addresses
	for _, address := range append(others,
		&a.etcd, &a.etcdPeer, &a.apiServer, &a.Carrier, &a.CarrierControls, &a.managerHealth, &a.managerMetrics,
	) {
		free, err := m.freeAddress(ctx)
		if err != nil {
			return err
		}
		*address = free
	}
	return nil
}

// These ports are below the range for outgoing connections, so that a port that is free now is
// still free when the process starts half a minute later.
const (
	firstPort = 20000
	ports     = 12000
)

// freeAddress returns an address at which no process listens, and that no other machine has chosen for
// a process that it has not started yet.
func (m *Machine) freeAddress(ctx context.Context) (string, error) {
	const tries = 100
	var failed error
	for range tries {
		offset, err := rand.Int(rand.Reader, big.NewInt(ports))
		if err != nil {
			return "", fmt.Errorf("choose a port: %w", err)
		}
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+offset.Int64())
		if failed = m.reserve(ctx, address); failed == nil {
			return address, nil
		}
	}
	return "", fmt.Errorf("find a free port: %w", failed)
}

// reserve reserves an address until this program ends. All machines reserve their ports by opening
// them for UDP, which leaves TCP to the process that will listen there.
func (m *Machine) reserve(ctx context.Context, address string) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen at %s: %w", address, err)
	}
	reserved, err := config.ListenPacket(ctx, "udp", address)
	if err == nil {
		m.reserved = append(m.reserved, reserved)
	}
	return errors.Join(err, listener.Close())
}
