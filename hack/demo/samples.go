// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// expectAnnotation names the outcome of a sample, such as Ready=True/InSync.
const expectAnnotation = "demo.wholesale.broadband/expect"

const (
	defaultNamespace   = "default"
	carrierAccountKind = "CarrierAccount"
)

// sample is one manifest of ours, and the outcome that it is to have; or a ConfigMap or
// Secret that one of ours names, which is to have none.
type sample struct {
	object *unstructured.Unstructured
	expect expectation
}

// judged tells whether the sample is to have an outcome.
func (s sample) judged() bool { return s.expect != expectation{} }

// expectation is a condition: its type, status and reason.
type expectation struct{ condition, status, reason string }

func (e expectation) String() string { return e.condition + "=" + e.status + "/" + e.reason }

// readSamples reads every manifest in a folder that is of our group, or of none.
func readSamples(folder string) ([]sample, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list samples: %w", err)
	}
	var samples []sample
	for _, file := range files {
		read, err := readSampleFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		samples = append(samples, read...)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("%s holds no sample of %s", folder, v1alpha1.GroupVersion)
	}
	return samples, nil
}

func readSampleFile(path string) ([]sample, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the path is the user's own
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	var samples []sample
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), len(content)+1)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return samples, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
		if group := object.GroupVersionKind().Group; group != "" && group != v1alpha1.GroupVersion.Group {
			continue // kustomization.yaml
		}
		read, err := newSample(object)
		if err != nil {
			return nil, err
		}
		samples = append(samples, read)
	}
}

func newSample(object *unstructured.Unstructured) (sample, error) {
	if object.GetNamespace() == "" {
		object.SetNamespace(defaultNamespace)
	}
	if object.GroupVersionKind().Group == "" {
		return sample{object: object}, nil
	}
	form := regexp.MustCompile(`^(\w+)=(\w+)/(\w+)$`)
	parts := form.FindStringSubmatch(object.GetAnnotations()[expectAnnotation])
	if parts == nil {
		return sample{}, fmt.Errorf("%s %s: the annotation %s does not name an outcome such as Ready=True/InSync",
			object.GetKind(), object.GetName(), expectAnnotation)
	}
	return sample{object: object, expect: expectation{condition: parts[1], status: parts[2], reason: parts[3]}}, nil
}

// accounts are the samples' CarrierAccounts.
func (d *demo) accounts() ([]*v1alpha1.CarrierAccount, error) {
	var accounts []*v1alpha1.CarrierAccount
	for _, s := range d.samples {
		if s.object.GetKind() != carrierAccountKind {
			continue
		}
		account := &v1alpha1.CarrierAccount{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(s.object.Object, account); err != nil {
			return nil, fmt.Errorf("CarrierAccount %s: %w", s.object.GetName(), err)
		}
		accounts = append(accounts, account)
	}
	return accounts, nil
}

const samplesFile = "samples.yaml"

// writeSamples writes the samples as they are applied: with the simulated carrier's address
// in every CarrierAccount.
func (d *demo) writeSamples() error {
	var all bytes.Buffer
	for _, s := range d.samples {
		if err := d.pointAtCarrier(s.object); err != nil {
			return fmt.Errorf("%s %s: %w", s.object.GetKind(), s.object.GetName(), err)
		}
		content, err := yaml.Marshal(s.object.Object)
		if err != nil {
			return fmt.Errorf("encode a sample: %w", err)
		}
		all.WriteString("---\n")
		all.Write(content)
	}
	return d.writeFile(samplesFile, all.String())
}

// pointAtCarrier replaces the origin of an account's URLs, and keeps their paths.
func (d *demo) pointAtCarrier(object *unstructured.Unstructured) error {
	if object.GetKind() != carrierAccountKind {
		return nil
	}
	for _, field := range [][]string{{"spec", "baseURL"}, {"spec", "auth", "tokenURL"}} {
		text, _, err := unstructured.NestedString(object.Object, field...)
		if err != nil {
			return fmt.Errorf("read a URL: %w", err)
		}
		address, err := url.Parse(text)
		if err != nil {
			return fmt.Errorf("read a URL: %w", err)
		}
		address.Scheme, address.Host = "http", d.addresses.carrier
		if err := unstructured.SetNestedField(object.Object, address.String(), field...); err != nil {
			return fmt.Errorf("set a URL: %w", err)
		}
	}
	return nil
}
