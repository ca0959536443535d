// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// recordingProxy is a proxy in front of the carrier that keeps every secret it sees.
type recordingProxy struct {
	next http.Handler

	mu      sync.Mutex
	secrets []string
	posted  map[string][]string // the bodies of the POSTs, by path

	onCall     func()   // called on each call, if not nil
	duringPOST sync.Map // what is to be done during the next POST to a path: func(), by path
}

// ServeHTTP keeps tokens and assertions, and forwards the call.
func (t *recordingProxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r.Body)
	if err != nil {
		http.Error(w, "the call was interrupted: "+err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	copied := r.Clone(r.Context())
	copied.Body = io.NopCloser(bytes.NewReader(body))
	t.keepSecrets(copied.PostFormValue("client_assertion"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	t.notePost(r, body)
	if t.onCall != nil {
		t.onCall()
	}
	t.runDuringPOST(r)
	t.next.ServeHTTP(w, r)
}

// runDuringPOST runs what is to be done while a POST is in progress.
func (t *recordingProxy) runDuringPOST(r *http.Request) {
	if r.Method != http.MethodPost {
		return
	}
	do, armed := t.duringPOST.LoadAndDelete(r.URL.Path)
	if function, isFunc := do.(func()); armed && isFunc {
		defer ginkgo.GinkgoRecover()
		function()
	}
}

// notePost keeps the bodies of POSTs that are not logins.
func (t *recordingProxy) notePost(r *http.Request, body []byte) {
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

func (t *recordingProxy) keepSecrets(secrets ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) > 8 && !slices.Contains(t.secrets, secret) {
			t.secrets = append(t.secrets, secret)
		}
	}
}

// The contact in every order that [World.Order] builds.
const (
	contactName  = "Jo Doe"
	contactPhone = "0400 000 000"
	contactEmail = "jo@example.com"
)

// Canaries returns the secrets that must not appear anywhere: each line of the key, each token and
// assertion, the signing secret of notifications, and the contact details of persons.
func (w *World) Canaries() []string {
	w.proxy.mu.Lock()
	defer w.proxy.mu.Unlock()
	canaries := append(slices.Clone(w.proxy.secrets), contactPhone, contactEmail, SharedSecret)
	for line := range strings.Lines(string(w.KeyPEM)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			canaries = append(canaries, line)
		}
	}
	return canaries
}

// expectNoSecrets expects that no secret appears in a pass's error or in an Event since the last
// pass.
func (w *World) expectNoSecrets(failure error) {
	ginkgo.GinkgoHelper()
	events := w.Events.All()
	observed := fmt.Sprintf("%v %+v %q", failure, failure, events[w.checkedEvents:])
	w.checkedEvents = len(events)
	for _, canary := range w.Canaries() {
		gomega.Expect(strings.Contains(observed, canary)).To(gomega.BeFalse(), "a secret is in an error or an Event")
	}
}

// Dump returns, as text, every object of the operator's kinds in the world and every record that
// the operator keeps.
func (w *World) Dump(ctx context.Context) string {
	lists := []client.ObjectList{
		&v1alpha1.CarrierAccountList{}, &v1alpha1.BroadbandServiceList{}, &v1alpha1.ServiceOrderList{},
		&v1alpha1.AppointmentRequestList{}, &v1alpha1.DiagnosticTestList{}, &v1alpha1.FibreBuildQuoteList{},
		&v1alpha1.PlanOptionsQueryList{}, &v1alpha1.HealthCheckList{},
	}
	for _, list := range lists {
		gomega.Expect(w.List(ctx, list, client.InNamespace(w.Namespace))).To(gomega.Succeed())
	}
	records := &corev1.ConfigMapList{}
	gomega.Expect(w.List(ctx, records, client.InNamespace(OperatorName))).To(gomega.Succeed())
	text, err := json.Marshal(append(lists, records))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return string(text)
}
