// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// The folder with the certificate of the manager's receiver, which the carrier trusts.
const (
	eventsFolder    = "events"
	certificateFile = "tls.crt"
	keyFile         = "tls.key"
)

// writeCertificate creates the certificate with which the manager receives notifications.
func (d *demo) writeCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("generate a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: d.Now().Add(-time.Hour), NotAfter: d.Now().AddDate(1, 0, 0),
	}
	certificate, certificateErr := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	private, keyErr := x509.MarshalPKCS8PrivateKey(key)
	if err := errors.Join(certificateErr, keyErr, os.MkdirAll(d.InState(eventsFolder), machine.FolderMode)); err != nil {
		return fmt.Errorf("make the receiver's certificate: %w", err)
	}
	return errors.Join(
		d.WriteFile(eventsFolder+"/"+certificateFile, pemText("CERTIFICATE", certificate)),
		d.WriteFile(eventsFolder+"/"+keyFile, pemText("PRIVATE KEY", private)))
}

func pemText(kind string, content []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}))
}

// notificationDelays returns the sorted times from each notification to the first GET that found
// the result that the notification announced.
func notificationDelays(sent []simulator.Delivery, calls []simulator.Call) []time.Duration {
	var waits []time.Duration
	for _, notification := range sent {
		i := slices.IndexFunc(calls, func(call simulator.Call) bool {
			found := call.Status == http.StatusOK || call.Status == http.StatusUnprocessableEntity
			return call.Method == http.MethodGet && found && call.ServiceID == notification.ServiceID &&
				call.Time.After(notification.Time)
		})
		if notification.Delivered && notification.ServiceID != 0 && i >= 0 {
			waits = append(waits, calls[i].Time.Sub(notification.Time))
		}
	}
	slices.Sort(waits)
	return waits
}
