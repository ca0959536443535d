// SPDX-License-Identifier: Apache-2.0

package samples

import (
	"cmp"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
)

// Carrier reads the carrier that the samples need, and generates a new key pair for every key of
// every CarrierAccount: the public key goes into the carrier's seed, and the private key into a
// Secret. An account with notifications gets a shared secret, and the carrier sends its
// notifications to the receiver at the given origin; "" for no receiver.
func Carrier(path string, samples []Sample, receiver string) (simulator.Seed, []*corev1.Secret, error) {
	var secrets []*corev1.Secret
	seed, err := readSeed(path)
	if err != nil {
		return seed, nil, err
	}
	accounts, err := accounts(samples)
	if err != nil {
		return seed, nil, err
	}
	for _, account := range accounts {
		made, err := enroll(account, &seed, receiver)
		if err != nil {
			return seed, nil, fmt.Errorf("CarrierAccount %s: %w", account.Name, err)
		}
		secrets = append(secrets, made...)
	}
	if err := assignOwner(&seed); err != nil {
		return seed, nil, fmt.Errorf("%s: %w", path, err)
	}
	return seed, secrets, nil
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

// enroll adds an account to the carrier's clients, and creates its Secrets.
func enroll(account *v1alpha1.CarrierAccount, seed *simulator.Seed, receiver string) ([]*corev1.Secret, error) {
	auth := account.Spec.Auth
	realm := regexp.MustCompile(`/realms/([^/]+)/protocol/`).FindStringSubmatch(auth.TokenURL)
	if realm == nil {
		return nil, fmt.Errorf("there is no realm in the token URL %q", auth.TokenURL)
	}
	client := simulator.Client{Name: auth.ClientName, Realm: realm[1], Keys: map[string]string{}}
	var secrets []*corev1.Secret
	for _, key := range auth.Keys {
		pair, err := NewKeyPair()
		if err != nil {
			return nil, err
		}
		client.Keys[key.KeyID] = pair.Public
		secrets = append(secrets, secretOf(account.Namespace, key.PrivateKeySecretRef, pair.Private))
	}
	secrets = append(secrets, shareSecrets(account, &client, receiver)...)
	seed.Clients = append(seed.Clients, client)
	return secrets, nil
}

// shareSecrets creates the carrier's signing secrets for the account's notifications, and sets the
// URL that the notifications are sent to. Its path is a hash of the oldest secret and the account's
// namespace and name.
func shareSecrets(account *v1alpha1.CarrierAccount, client *simulator.Client, receiver string) []*corev1.Secret {
	if account.Spec.Events == nil {
		return nil
	}
	var secrets []*corev1.Secret
	for _, ref := range account.Spec.Events.SecretRefs {
		shared := rand.Text()
		secrets = append(secrets, secretOf(account.Namespace, ref, shared))
		if receiver != "" && client.Callback == "" {
			path := sha256.Sum256([]byte(shared + "/" + account.Namespace + "/" + account.Name))
			client.Callback, client.CallbackSecret = fmt.Sprintf("%s/events/%x", receiver, path), shared
		}
	}
	return secrets
}

func secretOf(namespace string, reference v1alpha1.SecretKeyReference, content string) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: reference.Name, Namespace: namespace},
		StringData: map[string]string{reference.Key: content},
	}
}

// assignOwner gives the services, orders and qualifications without an owner to the first client, and
// drops the services of clients that have no account among the samples.
func assignOwner(seed *simulator.Seed) error {
	if len(seed.Clients) == 0 {
		return errors.New("the samples have no CarrierAccount that could own its services")
	}
	first := seed.Clients[0].Name
	seed.Services = slices.DeleteFunc(seed.Services, func(service simulator.Service) bool {
		isOwner := func(client simulator.Client) bool { return client.Name == service.Client }
		return service.Client != "" && !slices.ContainsFunc(seed.Clients, isOwner)
	})
	assign(first, seed.Services, func(service *simulator.Service) *string { return &service.Client })
	assign(first, seed.Orders, func(order *simulator.PlacedOrder) *string { return &order.Client })
	assign(first, seed.Qualifications, func(site *simulator.Qualification) *string { return &site.Client })
	return nil
}

// assign gives items without an owner to a client.
func assign[T any](client string, items []T, owner func(*T) *string) {
	for i := range items {
		named := owner(&items[i])
		*named = cmp.Or(*named, client)
	}
}

// keyBits is the smallest key size that the carrier accepts.
const keyBits = 2048

// KeyPair is an RSA key as PEM texts.
type KeyPair struct{ Private, Public string }

// NewKeyPair generates a key pair.
func NewKeyPair() (KeyPair, error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return KeyPair{}, fmt.Errorf("generate a key: %w", err)
	}
	private, privateErr := x509.MarshalPKCS8PrivateKey(key)
	public, publicErr := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err := errors.Join(privateErr, publicErr); err != nil {
		return KeyPair{}, fmt.Errorf("encode a key: %w", err)
	}
	return KeyPair{
		Private: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		Public:  string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})),
	}, nil
}
