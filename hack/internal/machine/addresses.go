// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
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
	var (
		held   []io.Closer // kept open until all are found, so that they differ
		failed error
	)
	for _, address := range append(others,
		&a.etcd, &a.etcdPeer, &a.apiServer, &a.Carrier, &a.CarrierControls, &a.managerHealth, &a.managerMetrics,
	) {
		listener, err := listen(ctx)
		if err != nil {
			failed = err
			break
		}
		held = append(held, listener)
		*address = listener.Addr().String()
	}
	for _, listener := range held {
		failed = errors.Join(failed, listener.Close())
	}
	return failed
}

// These ports are below the range for outgoing connections, so that a port that is free now is
// still free when the process starts half a minute later.
const (
	firstPort = 20000
	ports     = 12000
)

// listen listens on a free port.
func listen(ctx context.Context) (net.Listener, error) {
	const tries = 100
	var (
		config net.ListenConfig
		failed error
	)
	for range tries {
		offset, err := rand.Int(rand.Reader, big.NewInt(ports))
		if err != nil {
			return nil, fmt.Errorf("choose a port: %w", err)
		}
		listener, err := config.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+offset.Int64()))
		if err == nil {
			return listener, nil
		}
		failed = err
	}
	return nil, fmt.Errorf("find a free port: %w", failed)
}
