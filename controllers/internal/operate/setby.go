// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// SetBy is the client that set an annotation last: the newest field manager that owns it. "" where
// none does, as on an object from the cache, which keeps no field managers.
func SetBy(object metav1.Object, annotation string) string {
	var newest metav1.ManagedFieldsEntry
	for _, entry := range object.GetManagedFields() {
		if owns(entry.FieldsV1, annotation) && !entry.Time.Before(newest.Time) {
			newest = entry
		}
	}
	client := []rune(newest.Manager)
	return string(client[:min(len(client), v1alpha1.MaxClient)])
}

func owns(fields *metav1.FieldsV1, annotation string) bool {
	var owned struct {
		Metadata struct {
			Annotations map[string]json.RawMessage `json:"f:annotations"`
		} `json:"f:metadata"`
	}
	if json.Unmarshal(fields.GetRawBytes(), &owned) != nil {
		return false // of a form that we do not know: not one that says so
	}
	_, held := owned.Metadata.Annotations["f:"+annotation]
	return held
}
