// SPDX-License-Identifier: Apache-2.0

package world

import (
	"net/http"
	"regexp"
	"sync/atomic"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// extensionPaths are the paths of the calls that the specification does not have.
var extensionPaths = regexp.MustCompile(`^/api/connect/(services/\d+(/diagnostic-tests/options)?|orders/\d+)$`)

// IsExtensionCall reports whether the specification does not have a call. Only an account with an
// extension makes such calls.
func IsExtensionCall(method, path string) bool {
	return method == http.MethodGet && extensionPaths.MatchString(path)
}

// extensionUse is whether the accounts of a world, in all of its namespaces, have extensions.
type extensionUse struct{ without, with atomic.Bool }

// note notes the extensions of an account.
func (u *extensionUse) note(account *v1alpha1.CarrierAccount) {
	switch {
	case u == nil: // the carrier is checked elsewhere
	case len(account.Spec.Extensions) > 0:
		u.with.Store(true)
	default:
		u.without.Store(true)
	}
}

// expectNoExtensionCall expects that no extension is called in a world whose accounts have none:
// without extensions, the operator behaves exactly as the specification allows.
func (w *World) expectNoExtensionCall() {
	ginkgo.GinkgoHelper()
	if w.extensions.with.Load() || !w.extensions.without.Load() {
		return
	}
	isOne := func(call simulator.Call) bool { return IsExtensionCall(call.Method, call.Path) }
	gomega.Expect(w.Carrier.Calls()).NotTo(gomega.ContainElement(gomega.Satisfy(isOne)),
		"no account has an extension, and a call of one was made")
}
