package simulator

import "net/http"

// ExtensionTestTypes is a call that lists the diagnostic tests of a service.
const ExtensionTestTypes = "TestTypes"

// extensions are the names of all extensions: calls of the published interface that the
// specification does not have. A carrier has those of its seed.
func extensions() []string { return []string{ExtensionTestTypes} }

// extensionRoutes are the rows of extensions.
func extensionRoutes(names []string) (rows []route) {
	for _, name := range names {
		if name == ExtensionTestTypes {
			const path, lastVersion = servicesPath + "{id}/diagnostic-tests/options", 7
			byService := routeRules{serviceID: true}
			rows = append(rows, until(lastVersion, with(byService, get(OpTestTypes, 1, path, listTestTypes))))
		}
	}
	return rows
}

// testTypeList is the response to a read of the test types.
type testTypeList struct {
	TestTypes []string `json:"testTypes"`
}

// listTestTypes is the GET of the tests that are offered for a service.
func listTestTypes(x *exchange) (response, error) {
	if _, err := x.serviceInPath(); err != nil {
		return response{}, err
	}
	return response{status: http.StatusOK, body: testTypeList{TestTypes: x.sim.testTypes()}}, nil
}
