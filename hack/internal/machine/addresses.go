// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"

	"github.com/broadband-operator/broadband-operator/test/ports"
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
		free, err := ports.Reserve(ctx)
		if err != nil {
			return err
		}
		*address = free
	}
	return nil
}
