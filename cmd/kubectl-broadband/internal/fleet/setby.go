// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// SetBy returns who set an annotation of the operator: the user if the API server records it
// (config/usernames), otherwise the client.
func SetBy(object client.Object, annotation string) string {
	if who := object.GetAnnotations()[recorder(annotation)]; who != "" {
		return who
	}
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 != nil && bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(`"f:`+annotation+`"`)) {
			return entry.Manager
		}
	}
	return "another client"
}

// recorder returns the annotation in which the API server records who has set another one; "" if it
// records that of none.
func recorder(annotation string) string {
	return map[string]string{
		v1alpha1.AnnotationApprove: v1alpha1.AnnotationApprovedBy,
		v1alpha1.AnnotationRetry:   v1alpha1.AnnotationRetriedBy,
		v1alpha1.AnnotationResolve: v1alpha1.AnnotationResolvedBy,
	}[annotation]
}
