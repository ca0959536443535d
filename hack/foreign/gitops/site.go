// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/hack/internal/machine"
	"github.com/broadband-operator/broadband-operator/test/samples"
)

// site is one run: the machine, the repository, the addresses and the users.
type site struct {
	*machine.Machine
	settings

	addresses  addresses
	users      users
	repository *repository
	secrets    string // manifests of the objects that are not in Git
	cluster    client.Client
	name       string            // of the Application
	reverted   int               // edits that Argo CD reverted
	shown      map[string]string // the last line printed about each object
}

func newSite(m *machine.Machine, s settings) *site {
	return &site{Machine: m, settings: s, users: newUsers(), shown: map[string]string{}}
}

// namespace is the namespace into which the Application syncs the objects in Git.
const namespace = "sites"

// prepare creates everything that does not need a running process.
func (s *site) prepare(ctx context.Context) error {
	if err := s.FindAddresses(ctx, s.addresses.all()...); err != nil {
		return err
	}
	files, err := s.readManifests()
	if err != nil {
		return err
	}
	return errors.Join(s.enroll(files[accountFile]), s.initRepository(ctx, files))
}

const accountFile = "account.yaml"

// readManifests reads the manifests to commit, and replaces the example's addresses with that of
// the simulated carrier.
func (s *site) readManifests() (map[string]string, error) {
	paths, err := filepath.Glob(filepath.Join(s.manifests, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list the manifests: %w", err)
	}
	carrier := "http://" + s.Addresses.Carrier
	origins := strings.NewReplacer("https://api.carrier.example", carrier, "https://id.carrier.example", carrier)
	files := map[string]string{}
	for _, path := range paths {
		content, err := os.ReadFile(path) //nolint:gosec // the path is the user's own
		if err != nil {
			return nil, fmt.Errorf("read a manifest: %w", err)
		}
		files[filepath.Base(path)] = origins.Replace(string(content))
	}
	return files, nil
}

// enroll creates the account's key and puts its public half into the carrier's seed.
func (s *site) enroll(account string) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(account), object); err != nil {
		return fmt.Errorf("%s: %w", accountFile, err)
	}
	object.SetNamespace(namespace)
	seed, made, err := samples.Carrier(s.carrier, []samples.Sample{{Object: object}}, "")
	if err != nil {
		return err
	}
	objects := []any{namespaceNamed(namespace)}
	for _, secret := range made {
		objects = append(objects, secret)
	}
	if s.secrets, err = machine.Manifests(objects); err != nil {
		return err
	}
	return s.WriteSeed(seed)
}

func namespaceNamed(name string) *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
}

func (s *site) applySecrets(ctx context.Context) error { return s.Apply(ctx, s.secrets) }

// connect creates a client for the running API server.
func (s *site) connect() error {
	ctrllog.SetLogger(logr.Discard()) // failures are returned as errors
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	var err error
	s.cluster, err = client.New(s.Admin.REST(), client.Options{Scheme: scheme})
	return err
}

const interval = 200 * time.Millisecond

// waitFor polls until a condition holds, at most for the timeout in the settings.
func (s *site) waitFor(ctx context.Context, text string, holds wait.ConditionWithContextFunc) error {
	err := wait.PollUntilContextTimeout(ctx, interval, s.timeout, true, holds)
	if wait.Interrupted(err) {
		return fmt.Errorf("not within %s: %s", s.timeout, text)
	}
	return err //nolint:wrapcheck // the condition's own error
}
