// SPDX-License-Identifier: Apache-2.0

package account_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// untilLongestPause is time for logins after pauses of 5, 10, 20, 40, 80, 160 and 300 seconds, the
// longest. During a pause, a Secret that cannot be used is read every 5 seconds.
const untilLongestPause = 15 * time.Minute

func clearFaults(_ context.Context, w *world.World) { w.Carrier.Disarm() }

func freshKey(bits int) []byte {
	key, err := rsa.GenerateKey(rand.Reader, bits)
	Expect(err).NotTo(HaveOccurred(), fmt.Sprint(bits))
	return pkcs8(key)
}

func smallKey([]byte) []byte { return freshKey(1024) }

func ellipticKey([]byte) []byte {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	Expect(err).NotTo(HaveOccurred())
	return pkcs8(key)
}

func pkcs8(key any) []byte {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	Expect(err).NotTo(HaveOccurred())
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// logins counts the token exchanges that the identity provider has received.
func logins(w *world.World) int {
	count := 0
	for _, call := range w.Carrier.Calls() {
		if call.Operation == simulator.OpToken {
			count++
		}
	}
	return count
}

// expectNothingTwice expects that no word of a message follows itself, and that no two of the parts
// that its colons separate are equal.
func expectNothingTwice(message string) {
	GinkgoHelper()
	words, parts := strings.Fields(message), strings.Split(message, ": ")
	Expect(slices.Compact(words)).To(HaveLen(len(words)), message)
	slices.Sort(parts)
	Expect(slices.Compact(parts)).To(HaveLen(len(parts)), message)
}
