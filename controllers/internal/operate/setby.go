// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"cmp"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// SetBy returns who last set an annotation: the user, if the API server has noted one, otherwise
// the client. It returns "" if neither is known, as for objects from the cache, which keeps no
// field managers.
func SetBy(object metav1.Object, annotation string) string {
	noted := map[string]string{
		v1alpha1.AnnotationApprove: v1alpha1.AnnotationApprovedBy,
		v1alpha1.AnnotationResolve: v1alpha1.AnnotationResolvedBy,
		v1alpha1.AnnotationRetry:   v1alpha1.AnnotationRetriedBy,
	}[annotation]
	by := []rune(cmp.Or(object.GetAnnotations()[noted], newestOwner(object, annotation)))
	return string(by[:min(len(by), v1alpha1.MaxClient)])
}

// newestOwner returns the client that last changed an annotation, according to the field managers.
func newestOwner(object metav1.Object, annotation string) string {
	var newest metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if owns(entry.FieldsV1, annotation) && !entry.Time.Before(newest.Time) {
			newest = entry
		}
	}
	return newest.Manager
}

func owns(fields *metav1.FieldsV1, annotation string) bool {
	var owned struct {
		Metadata struct {
			Annotations map[string]json.RawMessage `json:"f:annotations"`
		} `json:"f:metadata"`
	}
	if json.Unmarshal(fields.GetRawBytes(), &owned) != nil {
		return false // unknown format: it does not prove ownership
	}
	_, held := owned.Metadata.Annotations["f:"+annotation]
	return held
}
