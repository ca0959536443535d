// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// wiretap stands before the carrier and keeps every secret that passes.
type wiretap struct {
	next http.Handler

	mu     sync.Mutex
	seen   []string
	posted map[string][]string // the bodies of the POSTs, by path

	meanwhile sync.Map // what is to be done during the next POST to a path: func(), by path
}

// ServeHTTP keeps tokens and assertions, and lets the call through.
func (t *wiretap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r.Body)
	if err != nil {
		http.Error(w, "the call broke off: "+err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	copied := r.Clone(r.Context())
	copied.Body = io.NopCloser(bytes.NewReader(body))
	t.keep(copied.PostFormValue("client_assertion"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	t.note(r, body)
	t.pause(r)
	t.next.ServeHTTP(w, r)
}

// pause has done what is to be done while a POST is out.
func (t *wiretap) pause(r *http.Request) {
	if r.Method != http.MethodPost {
		return
	}
	do, armed := t.meanwhile.LoadAndDelete(r.URL.Path)
	if act, isFunc := do.(func()); armed && isFunc {
		defer ginkgo.GinkgoRecover()
		act()
	}
}

// note keeps the bodies of POSTs that are no login.
func (t *wiretap) note(r *http.Request, body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "/token") {
		return
	}
	if t.posted == nil {
		t.posted = map[string][]string{}
	}
	t.posted[r.URL.Path] = append(t.posted[r.URL.Path], string(body))
}

func (t *wiretap) keep(secrets ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) > 8 && !slices.Contains(t.seen, secret) {
			t.seen = append(t.seen, secret)
		}
	}
}

// Canaries are the secrets that must stand nowhere: each line of the key, each token
// and each assertion.
func (w *World) Canaries() []string {
	w.tap.mu.Lock()
	defer w.tap.mu.Unlock()
	canaries := slices.Clone(w.tap.seen)
	for line := range strings.Lines(string(w.KeyPEM)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			canaries = append(canaries, line)
		}
	}
	return canaries
}

// Dump is every object of the operator's kinds in the world, as text.
func (w *World) Dump(ctx context.Context) string {
	var accounts v1alpha1.CarrierAccountList
	var services v1alpha1.BroadbandServiceList
	gomega.Expect(w.List(ctx, &accounts, client.InNamespace(w.Namespace))).To(gomega.Succeed())
	gomega.Expect(w.List(ctx, &services, client.InNamespace(w.Namespace))).To(gomega.Succeed())
	text, err := json.Marshal([]any{accounts, services})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return string(text)
}
