// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
)

// Addresses are where the processes listen: free ports of the loopback interface.
type Addresses struct {
	etcd, etcdPeer, apiServer, managerHealth, managerMetrics string

	Carrier         string
	CarrierControls string
}

// FindAddresses finds free ones for the processes of the machine, and others for the caller.
func (m *Machine) FindAddresses(ctx context.Context, others ...*string) error {
	a := &m.Addresses
	var (
		config net.ListenConfig
		held   []io.Closer // until all are found, so that they differ
		failed error
	)
	for _, address := range append(others,
		&a.etcd, &a.etcdPeer, &a.apiServer, &a.Carrier, &a.CarrierControls, &a.managerHealth, &a.managerMetrics,
	) {
		listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			failed = fmt.Errorf("find a free port: %w", err)
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
