// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// SetBy returns who set an annotation of the operator: the user if the API server records it
// (config/usernames), otherwise the client.
func SetBy(object client.Object, annotation string) string {
	recorded := map[string]string{"approve": "approved-by", "retry": "retried-by", "resolve": "resolved-by"}
	group, word, _ := strings.Cut(annotation, "/")
	if who := object.GetAnnotations()[group+"/"+recorded[word]]; who != "" {
		return who
	}
	for _, entry := range object.GetManagedFields() {
		if entry.FieldsV1 != nil && bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(`"f:`+annotation+`"`)) {
			return entry.Manager
		}
	}
	return "another client"
}
