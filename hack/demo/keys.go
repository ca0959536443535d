// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
)

// keyBits is the least that the carrier accepts.
const keyBits = 2048

// keyPair is an RSA key as PEM texts.
type keyPair struct{ private, public string }

func newKeyPair() (keyPair, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return keyPair{}, fmt.Errorf("generate a key: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return keyPair{}, fmt.Errorf("encode a private key: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return keyPair{}, fmt.Errorf("encode a public key: %w", err)
	}
	return keyPair{
		private: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		public:  string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
	}, nil
}

// The files of the API server's credentials.
const (
	tokensFile            = "tokens.csv"
	serviceAccountKeyFile = "service-account.pem"
)

// writeCredentials makes the administrator's token and the key with which the API server
// signs the tokens of ServiceAccounts.
func (d *demo) writeCredentials() error {
	signer, err := newKeyPair()
	if err != nil {
		return err
	}
	d.admin = kubeconfig{path: d.inState("kubeconfig"), user: "admin", token: rand.Text()}
	tokens := d.admin.token + `,admin,admin,"system:masters"` + "\n"
	return errors.Join(
		d.writeFile(tokensFile, tokens),
		d.writeFile(serviceAccountKeyFile, signer.private))
}

func (d *demo) writeFile(name, content string) error {
	if err := os.WriteFile(d.inState(name), []byte(content), fileMode); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
