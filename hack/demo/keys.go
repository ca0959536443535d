// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"

	"github.com/broadband-operator/broadband-operator/test/samples"
)

// The files of the API server's credentials.
const (
	tokensFile            = "tokens.csv"
	serviceAccountKeyFile = "service-account.pem"
)

// writeCredentials makes the administrator's token and the key with which the API server
// signs the tokens of ServiceAccounts.
func (d *demo) writeCredentials() error {
	signer, err := samples.NewKeyPair()
	if err != nil {
		return err
	}
	d.admin = kubeconfig{path: d.inState("kubeconfig"), user: "admin", token: rand.Text()}
	tokens := d.admin.token + `,admin,admin,"system:masters"` + "\n"
	return errors.Join(
		d.writeFile(tokensFile, tokens),
		d.writeFile(serviceAccountKeyFile, signer.Private))
}

func (d *demo) writeFile(name, content string) error {
	if err := os.WriteFile(d.inState(name), []byte(content), fileMode); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
