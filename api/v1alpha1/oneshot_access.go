// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import "k8s.io/apimachinery/pkg/runtime"

// PutResult replaces what the test found, a JSON object; nil for nothing.
func (s *DiagnosticTestStatus) PutResult(object []byte) {
	s.Result = nil
	if object != nil {
		s.Result = &runtime.RawExtension{Raw: object}
	}
}
