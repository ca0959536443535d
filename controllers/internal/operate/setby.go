// SPDX-License-Identifier: Apache-2.0

package operate

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// SetBy returns who last set an annotation. That is the user whom the API server has confirmed:
// config/usernames writes the name, and config/policy refuses any other than the user's own. If
// something else checks approvals, the name is marked as claimed. Without a name, SetBy returns the
// client that the field managers show, which objects from the cache do not have.
func (p *Protocol) SetBy(object metav1.Object, annotation string) string {
	by := "unknown"
	if user := object.GetAnnotations()[v1alpha1.SetterAnnotation(annotation)]; user != "" {
		by = user
		if p.Policies == nil {
			by += " (claimed)"
		}
	} else if client := newestOwner(object, annotation); client != "" {
		by = "unknown (client " + client + ")"
	}
	runes := []rune(by)
	return string(runes[:min(len(runes), v1alpha1.MaxClient)])
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
