// SPDX-License-Identifier: Apache-2.0

package orders

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// orderCase is an order together with the qualification that it is based on.
type orderCase struct {
	*v1alpha1.ServiceOrderSpec

	q     *carrier.Qualification
	infra *carrier.Infrastructure // the one that the order names; nil if none
	port  *carrier.NTDPort        // its port, if it is an NTD; nil if none
}

func caseOf(spec *v1alpha1.ServiceOrderSpec, q *carrier.Qualification) *orderCase {
	o := &orderCase{ServiceOrderSpec: spec, q: q}
	if spec.Infrastructure == nil {
		return o
	}
	for i := range q.Infrastructures {
		if q.Infrastructures[i].InfrastructureID == spec.Infrastructure.ID {
			o.infra = &q.Infrastructures[i]
		}
	}
	if port := spec.Infrastructure.PortID; o.infra != nil && o.infra.NTD != nil && port != nil {
		o.port = portOf(o.infra.NTD, *port)
	}
	return o
}

// portOf returns a port of an NTD; nil if it has no such port.
func portOf(ntd *carrier.NTD, id int64) *carrier.NTDPort {
	i := slices.IndexFunc(ntd.Ports, func(p carrier.NTDPort) bool { return p.PortID == strconv.FormatInt(id, 10) })
	if i < 0 {
		return nil
	}
	return &ntd.Ports[i]
}

// place names the port or pair, and returns whether it is in use and whether that is known.
func (o *orderCase) place() (name string, used, known bool) {
	switch {
	case o.port != nil:
		name = fmt.Sprintf("port %s of NTD %q", decide.Bounded(o.port.PortID, maxWord), o.Infrastructure.ID)
		return name, o.port.InUse(), o.port.InUse() || o.port.Status == carrier.PortFree
	case o.infra.CopperPair != nil:
		pair := o.infra.CopperPair
		status := "pair " + cmp.Or(pair.CopperPairStatus, "of unknown status")
		name = fmt.Sprintf("copper pair %q (%s)", o.Infrastructure.ID,
			decide.Bounded(cmp.Or(pair.ServiceStatus, status), maxWord))
		return name, pair.InUse(), pair.ServiceStatus != "" || pair.CopperPairStatus != ""
	}
	return "", false, false
}

// ntd returns the NTD that the order names, or an empty one if it is unknown.
func (o *orderCase) ntd() *carrier.NTD {
	if o.infra == nil || o.infra.NTD == nil {
		return &carrier.NTD{}
	}
	return o.infra.NTD
}
