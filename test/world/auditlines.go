// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"

	"github.com/broadband-operator/broadband-operator/test/source"
)

// AuditLines are the audit lines of the processes of a world.
type AuditLines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (a *AuditLines) Write(text []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.text.Write(text)
}

// All returns the lines so far.
func (a *AuditLines) All() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Split(strings.TrimSuffix(a.text.String(), "\n"), "\n")
}

// About returns the phases of an attempt, in the order of their lines.
func (a *AuditLines) About(attempt string) (phases []string) {
	ginkgo.GinkgoHelper()
	for _, text := range a.All() {
		var line struct {
			Attempt string `json:"attempt"`
			Phase   string `json:"phase"`
		}
		gomega.Expect(json.Unmarshal([]byte(text), &line)).To(gomega.Succeed())
		if line.Attempt == attempt {
			phases = append(phases, line.Phase)
		}
	}
	return phases
}

// auditSchema reads the schema that docs/audit.md describes, once.
var auditSchema = sync.OnceValues(func() (*spec.Schema, error) {
	text, err := os.ReadFile(filepath.Join(source.Root(), "docs", "audit.schema.json"))
	if err != nil {
		return nil, err
	}
	schema := &spec.Schema{}
	return schema, json.Unmarshal(text, schema)
})

// expectValidAudit expects that every audit line matches the schema, and that none contains a secret.
func (w *World) expectValidAudit() {
	ginkgo.GinkgoHelper()
	schema, err := auditSchema()
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for _, line := range w.Audit.All() {
		if line == "" {
			continue // nothing was sent
		}
		var value any
		gomega.Expect(json.Unmarshal([]byte(line), &value)).To(gomega.Succeed())
		gomega.Expect(validate.AgainstSchema(schema, value, strfmt.Default)).To(gomega.Succeed(), line)
		for _, canary := range w.Canaries() {
			gomega.Expect(strings.Contains(line, canary)).To(gomega.BeFalse(), "a secret is in an audit line")
		}
	}
}
