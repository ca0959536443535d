// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// SetBy returns who set an annotation of the operator: the user if one is named, otherwise the
// client.
func SetBy(object client.Object, annotation string) string {
	if who := object.GetAnnotations()[v1alpha1.SetterAnnotation(annotation)]; who != "" {
		return who
	}
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 != nil && bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(`"f:`+annotation+`"`)) {
			return entry.Manager
		}
	}
	return "another client"
}
