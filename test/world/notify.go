// SPDX-License-Identifier: Apache-2.0

package world

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// The Secret that the carrier and the account share, and one that they do not.
const (
	EventsSecretName = "carrier-events"
	EventsSecretKey  = "token"
	SharedSecret     = "shared-canary-4c1d7e90"
)

// EventsSecret builds the Secret with the carrier's signing secret for notifications.
func (w *World) EventsSecret() *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: EventsSecretName},
		Data:       map[string][]byte{EventsSecretKey: []byte(SharedSecret)},
	}
}

// WithEvents turns on notifications for an account.
func WithEvents(signature v1alpha1.EventSignature) func(*v1alpha1.CarrierAccount) {
	return func(account *v1alpha1.CarrierAccount) {
		account.Spec.Events = &v1alpha1.AccountEvents{
			Signature:  signature,
			SecretRefs: []v1alpha1.SecretKeyReference{{Name: EventsSecretName, Key: EventsSecretKey}},
		}
	}
}

// Receiver is the notification receiver of the current process, as the carrier reaches it.
type Receiver struct {
	URL     string
	Client  *http.Client
	current atomic.Pointer[http.Handler]
}

// ServeHTTP implements [http.Handler].
func (e *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	(*e.current.Load()).ServeHTTP(w, r)
}

// StartReceiver connects the carrier to a process.
func (p *Process) StartReceiver() *Receiver {
	receiver := &Receiver{}
	receiver.SwitchTo(p)
	server := httptest.NewTLSServer(receiver)
	ginkgo.DeferCleanup(server.Close)
	receiver.URL, receiver.Client = server.URL, server.Client()
	return receiver
}

// SwitchTo connects the carrier to another process from now on.
func (e *Receiver) SwitchTo(p *Process) {
	var handler http.Handler = p.reconcilers.Receiver
	e.current.Store(&handler)
}

// Subscribe makes the carrier send notifications to the path that the account shows.
func (w *World) Subscribe(ctx context.Context, receiver *Receiver, path, secret string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(w.Carrier.SetCallback(w.ClientName, receiver.URL+path, secret)).To(gomega.Succeed())
	w.Deliver(ctx, receiver)
}

// Deliver makes the carrier send the notifications that are due.
func (w *World) Deliver(ctx context.Context, receiver *Receiver) int {
	return w.Carrier.Deliver(ctx, receiver.Client)
}

// EventsPath returns the path for notifications in the account's status.
func (w *World) EventsPath(ctx context.Context) string {
	ginkgo.GinkgoHelper()
	return w.ReadAccount(ctx).Status.EventsPath
}

// ReadAccount reads the CarrierAccount from the API server.
func (w *World) ReadAccount(ctx context.Context) *v1alpha1.CarrierAccount {
	ginkgo.GinkgoHelper()
	return mustRead[v1alpha1.CarrierAccount](ctx, w, AccountName)
}

// StopLeading makes a process receive notifications as one that is not the leader.
func (p *Process) StopLeading() { p.reconcilers.Operator.Leads = func() bool { return false } }

// Notify sends a self-made notification, signed with a secret at the current time, to a path, and
// returns the status of the response.
func (w *World) Notify(ctx context.Context, receiver *Receiver, path, secret, body string) int {
	ginkgo.GinkgoHelper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, receiver.URL+path, strings.NewReader(body))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	id, stamp := "msg_"+string(uuid.NewUUID()), strconv.FormatInt(w.Clock.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(id + "." + stamp + "." + body))
	request.Header.Set("Webhook-Id", id)
	request.Header.Set("Webhook-Timestamp", stamp)
	request.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	response, err := receiver.Client.Do(request)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(response.Body.Close()).To(gomega.Succeed())
	return response.StatusCode
}
