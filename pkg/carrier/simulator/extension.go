package simulator

import (
	"net/http"
	"slices"
)

// The extensions: calls and fields of the published interface that the specification does not have.
// A carrier has those that its seed names.
const (
	ExtensionTestTypes   = "TestTypes"   // lists the diagnostic tests of a service
	ExtensionServiceRead = "ServiceRead" // reads a service
	ExtensionOrderRead   = "OrderRead"   // reads an order, which progresses until it becomes a service
	ExtensionOrderFields = "OrderFields" // orders have further fields
)

// extensions are the names of all extensions.
func extensions() []string {
	return []string{ExtensionTestTypes, ExtensionServiceRead, ExtensionOrderRead, ExtensionOrderFields}
}

// has reports whether the carrier has an extension.
func (s *Simulator) has(extension string) bool {
	return slices.Contains(s.options.Seed.Extensions, extension)
}

// extensionRoutes returns the routes that the named extensions add.
func extensionRoutes(names []string) (rows []route) {
	byService := routeRules{serviceID: true}
	for _, name := range names {
		switch name {
		case ExtensionTestTypes:
			const path, lastVersion = servicesPath + "{id}/diagnostic-tests/options", 7
			rows = append(rows, until(lastVersion, with(byService, get(OpTestTypes, 1, path, listTestTypes))))
		case ExtensionServiceRead:
			rows = append(rows, with(byService, get(OpServiceRead, 4, servicesPath+"{id}", readService)))
		case ExtensionOrderRead:
			rows = append(rows, get(OpOrderRead, 1, ordersPath+"{id}", readOrder))
		}
	}
	return rows
}

// listTestTypes is the GET of the tests that are offered for a service.
func listTestTypes(x *exchange) (response, error) {
	if _, err := x.serviceInPath(); err != nil {
		return response{}, err
	}
	return response{status: http.StatusOK, body: resource{"testTypes": x.sim.testTypes()}}, nil
}
