package simulator_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

func withTestTypes(s *simulator.Seed) {
	s.Extensions = []string{simulator.ExtensionTestTypes}
	s.TestTypes = []string{"port-reset", "loopback"}
}

func testTypesOf(service int64) string {
	return fmt.Sprintf("/api/connect/services/%d/diagnostic-tests/options", service)
}

func TestTestTypesAreListedForAServiceOfTheClient(t *testing.T) {
	h := start(t, withTestTypes)
	read := func(version, path string) response { return h.atVersion(version, http.MethodGet, path, "") }
	for _, version := range []string{"1", "7"} {
		got := read(version, testTypesOf(fttp)).is(http.StatusOK).list("testTypes")
		if diff := cmp.Diff([]any{"port-reset", "loopback"}, got); diff != "" {
			t.Error(diff)
		}
	}
	read("8", testTypesOf(fttp)).refusedWith(400, "api.version.invalid")
	read("7", testTypesOf(foreign)).refusedWith(404, "resource.not.found")
	read("7", "/api/connect/services/abc/diagnostic-tests/options").refusedWith(400, "method.argument.type.mismatch")
}

func TestACarrierWithoutAnExtensionDoesNotHaveItsCall(t *testing.T) {
	h := start(t)
	h.get(testTypesOf(fttp)).is(http.StatusNotFound)
	if last := h.sim.Calls()[len(h.sim.Calls())-1]; last.Operation != simulator.OpUnknown {
		t.Errorf("the call is known as %s", last.Operation)
	}
}

func TestAnUnknownExtensionIsNoPartOfASeed(t *testing.T) {
	wrong := seed()
	wrong.Extensions = []string{"Teleport"}
	err := wrong.Validate()
	if err == nil || !strings.Contains(err.Error(), `"Teleport" is not one of ["TestTypes" "ServiceRead" `) {
		t.Errorf("Validate: %v", err)
	}
}
