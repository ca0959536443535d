// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

// PutResult sets the result of the test, a JSON object; nil clears it.
func (s *DiagnosticTestStatus) PutResult(object []byte) {
	s.Result = nil
	if object != nil {
		s.Result = &runtime.RawExtension{Raw: object}
	}
}
