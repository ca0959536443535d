// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

const (
	seedFile    = "seed.yaml"
	secretsFile = "secrets.yaml"
)

// writeCarrier makes a fresh key pair for every key of every CarrierAccount: the public one
// goes into the carrier's seed, the private one into a Secret.
func (d *demo) writeCarrier() error {
	seed, err := readSeed(d.carrier)
	if err != nil {
		return err
	}
	accounts, err := d.accounts()
	if err != nil {
		return err
	}
	var secrets bytes.Buffer
	for _, account := range accounts {
		if err = enroll(account, &seed, &secrets); err != nil {
			return fmt.Errorf("CarrierAccount %s: %w", account.Name, err)
		}
	}
	if err = own(&seed); err != nil {
		return fmt.Errorf("%s: %w", d.carrier, err)
	}
	content, err := yaml.Marshal(seed)
	if err != nil {
		return fmt.Errorf("encode the seed: %w", err)
	}
	return errors.Join(d.writeFile(seedFile, string(content)), d.writeFile(secretsFile, secrets.String()))
}

func readSeed(path string) (simulator.Seed, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the path is the user's own
	if err != nil {
		return simulator.Seed{}, fmt.Errorf("read the carrier: %w", err)
	}
	var seed simulator.Seed
	if err := yaml.UnmarshalStrict(content, &seed); err != nil {
		return simulator.Seed{}, fmt.Errorf("%s: %w", path, err)
	}
	return seed, nil
}

// enroll adds an account to the carrier's clients, and the manifests of its Secrets.
func enroll(account *v1alpha1.CarrierAccount, seed *simulator.Seed, secrets *bytes.Buffer) error {
	auth := account.Spec.Auth
	realm := regexp.MustCompile(`/realms/([^/]+)/protocol/`).FindStringSubmatch(auth.TokenURL)
	if realm == nil {
		return fmt.Errorf("there is no realm in the token URL %q", auth.TokenURL)
	}
	client := simulator.Client{Name: auth.ClientName, Realm: realm[1], Keys: map[string]string{}}
	for _, key := range auth.Keys {
		pair, err := newKeyPair()
		if err != nil {
			return err
		}
		client.Keys[key.KeyID] = pair.public
		reference := key.PrivateKeySecretRef
		content, err := yaml.Marshal(&corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{Name: reference.Name, Namespace: account.Namespace},
			StringData: map[string]string{reference.Key: pair.private},
		})
		if err != nil {
			return fmt.Errorf("encode a Secret: %w", err)
		}
		secrets.WriteString("---\n")
		secrets.Write(content)
	}
	seed.Clients = append(seed.Clients, client)
	return nil
}

// own gives the services, orders and qualifications that name no owner to the first client.
func own(seed *simulator.Seed) error {
	if len(seed.Clients) == 0 {
		return errors.New("the samples have no CarrierAccount that could own its services")
	}
	first := seed.Clients[0].Name
	for i := range seed.Services {
		seed.Services[i].Client = cmp.Or(seed.Services[i].Client, first)
	}
	for i := range seed.Orders {
		seed.Orders[i].Client = cmp.Or(seed.Orders[i].Client, first)
	}
	for i := range seed.Qualifications {
		seed.Qualifications[i].Client = cmp.Or(seed.Qualifications[i].Client, first)
	}
	return nil
}

func (d *demo) startCarrier(ctx context.Context) error {
	carrier, err := d.start(ctx, "simulator", filepath.Join(d.binDir, "simulator"),
		"--seed="+d.inState(seedFile),
		"--listen="+d.addresses.carrier,
		"--management-listen="+d.addresses.carrierControls)
	if err != nil {
		return err
	}
	return carrier.await(ctx, &http.Client{}, d.violationsURL())
}

func (d *demo) violationsURL() string {
	return "http://" + d.addresses.carrierControls + "/_sim/violations"
}
