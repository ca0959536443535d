// SPDX-License-Identifier: Apache-2.0

// Package samples reads the manifests of config/samples, prepares the simulated carrier for them,
// and checks whether each reaches the outcome in its annotation. The demo shows the outcomes to a
// person, and a test checks them with a manager.
package samples

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

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// ExpectAnnotation names the outcome of a sample, such as Ready=True/InSync.
const ExpectAnnotation = "demo.wholesale.broadband/expect"

const accountKind = "CarrierAccount"

// Sample is one of our manifests with its expected outcome, or a ConfigMap or Secret that a
// manifest refers to. A ConfigMap or Secret has no expected outcome.
type Sample struct {
	Object *unstructured.Unstructured
	Expect Expectation
}

// HasExpectation reports whether the sample has an expected outcome.
func (s Sample) HasExpectation() bool { return s.Expect != Expectation{} }

// Expectation is a condition: its type, status and reason.
type Expectation struct{ Condition, Status, Reason string }

// String returns the form of the annotation.
func (e Expectation) String() string { return e.Condition + "=" + e.Status + "/" + e.Reason }

// Read reads the manifests in a folder whose API group is ours or empty. Manifests without a
// namespace get the given one.
func Read(folder, namespace string) ([]Sample, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list samples: %w", err)
	}
	var samples []Sample
	for _, file := range files {
		read, err := readFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		samples = append(samples, read...)
	}
	if len(samples) == 0 {
		return nil, fmt.Errorf("%s holds no sample of %s", folder, v1alpha1.GroupVersion)
	}
	for _, sample := range samples {
		if sample.Object.GetNamespace() == "" {
			sample.Object.SetNamespace(namespace)
		}
	}
	return samples, nil
}

func readFile(path string) ([]Sample, error) {
	content, err := os.ReadFile(path) //nolint:gosec // the path is the user's own
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	var samples []Sample
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
		if !wanted(object) {
			continue // kustomization.yaml
		}
		read, err := newSample(object)
		if err != nil {
			return nil, err
		}
		samples = append(samples, read)
	}
}

// wanted reports whether the API group of an object is ours or empty.
func wanted(object *unstructured.Unstructured) bool {
	group := object.GroupVersionKind().Group
	return group == "" || group == v1alpha1.GroupVersion.Group
}

func newSample(object *unstructured.Unstructured) (Sample, error) {
	if object.GroupVersionKind().Group == "" {
		return Sample{Object: object}, nil
	}
	form := regexp.MustCompile(`^(\w+)=(\w+)/(\w+)$`)
	parts := form.FindStringSubmatch(object.GetAnnotations()[ExpectAnnotation])
	if parts == nil {
		return Sample{}, fmt.Errorf("%s %s: the annotation %s does not name an outcome such as Ready=True/InSync",
			object.GetKind(), object.GetName(), ExpectAnnotation)
	}
	return Sample{Object: object, Expect: Expectation{Condition: parts[1], Status: parts[2], Reason: parts[3]}}, nil
}

// accounts returns the samples' CarrierAccounts.
func accounts(samples []Sample) ([]*v1alpha1.CarrierAccount, error) {
	var accounts []*v1alpha1.CarrierAccount
	for _, sample := range samples {
		if sample.Object.GetKind() != accountKind {
			continue
		}
		account := &v1alpha1.CarrierAccount{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(sample.Object.Object, account); err != nil {
			return nil, fmt.Errorf("CarrierAccount %s: %w", sample.Object.GetName(), err)
		}
		accounts = append(accounts, account)
	}
	return accounts, nil
}

// PointAt replaces the origin of every account's URLs with http and a host, and keeps their paths.
func PointAt(samples []Sample, host string) error {
	for _, sample := range samples {
		if sample.Object.GetKind() != accountKind {
			continue
		}
		for _, field := range [][]string{{"spec", "baseURL"}, {"spec", "auth", "tokenURL"}} {
			if err := pointAt(sample.Object, host, field); err != nil {
				return fmt.Errorf("CarrierAccount %s: %w", sample.Object.GetName(), err)
			}
		}
	}
	return nil
}

func pointAt(account *unstructured.Unstructured, host string, field []string) error {
	text, _, err := unstructured.NestedString(account.Object, field...)
	if err != nil {
		return fmt.Errorf("read a URL: %w", err)
	}
	address, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("read a URL: %w", err)
	}
	address.Scheme, address.Host = "http", host
	if err := unstructured.SetNestedField(account.Object, address.String(), field...); err != nil {
		return fmt.Errorf("set a URL: %w", err)
	}
	return nil
}
