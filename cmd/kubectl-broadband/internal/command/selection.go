// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
)

type selection struct {
	names    []string
	selector string
	files    []string
	all      bool
}

func (t *tool) addSelection(command *cobra.Command) *selection {
	chosen := &selection{}
	t.addEverywhere(command)
	command.Flags().StringVarP(&chosen.selector, "selector", "l", "", "objects with these labels")
	command.Flags().StringSliceVarP(&chosen.files, "filename", "f", nil, "objects of these manifests: files, folders or -")
	command.Flags().BoolVar(&chosen.all, "all", false, "all objects of the namespace, or with -A of all namespaces")
	return chosen
}

var errSelectsNothing = errors.New("name objects (bbs/site-014), or select them with -l, -f or --all")

// errSelectsTwice refuses several ways to select objects: none of them narrows another.
var errSelectsTwice = errors.New("select objects in one way: use one of names, -f, and -l or --all")

func (s *selection) check() error {
	ways := 0
	for _, used := range []bool{len(s.names) > 0, len(s.files) > 0, s.selector != "" || s.all} {
		if used {
			ways++
		}
	}
	if ways > 1 {
		return errSelectsTwice
	}
	return nil
}

// named reports whether objects were named one by one, so that each of them must qualify.
func (s *selection) named() bool { return len(s.names) > 0 || len(s.files) > 0 }

func (s *selection) each(
	ctx context.Context, cluster *fleet.Cluster, kinds []fleet.Kind, do func(fleet.Object) error,
) error {
	if err := s.check(); err != nil {
		return err
	}
	switch {
	case len(s.names) > 0:
		return s.eachNamed(ctx, cluster, kinds, do)
	case len(s.files) > 0:
		return s.eachInFiles(ctx, cluster, kinds, do)
	case s.selector == "" && !s.all:
		return errSelectsNothing
	}
	selector, err := parseSelector(s.selector)
	if err != nil {
		return err
	}
	return eachOf(ctx, cluster, kinds, selector, do)
}

func eachOf(
	ctx context.Context, cluster *fleet.Cluster, kinds []fleet.Kind, selector labels.Selector,
	do func(fleet.Object) error,
) error {
	for _, kind := range kinds {
		if err := cluster.Each(ctx, kind, selector, do); err != nil {
			return err
		}
	}
	return nil
}

func (s *selection) eachNamed(
	ctx context.Context, cluster *fleet.Cluster, kinds []fleet.Kind, do func(fleet.Object) error,
) error {
	for _, typed := range s.names {
		kind, name, err := fleet.ParseName(typed)
		if err != nil {
			return err
		}
		if !contains(kinds, kind.Name) {
			return usageError("%s: this command is not for a %s", typed, kind.Name)
		}
		object, err := cluster.Fetch(ctx, kind, name)
		if err != nil {
			return err
		}
		if err := do(object); err != nil {
			return err
		}
	}
	return nil
}

func (s *selection) eachInFiles(
	ctx context.Context, cluster *fleet.Cluster, kinds []fleet.Kind, do func(fleet.Object) error,
) error {
	manifests, err := readManifests(s.files, cluster.Namespace)
	if err != nil {
		return err
	}
	for _, manifest := range manifests {
		kind, err := fleet.KindNamed(manifest.GetKind())
		if err != nil || !contains(kinds, kind.Name) {
			continue // a file may hold other kinds too
		}
		there := *cluster
		there.Namespace = manifest.GetNamespace()
		object, err := there.Fetch(ctx, kind, manifest.GetName())
		if err != nil {
			return err
		}
		if err := do(object); err != nil {
			return err
		}
	}
	return nil
}

func contains(kinds []fleet.Kind, name string) bool {
	return slices.ContainsFunc(kinds, func(kind fleet.Kind) bool { return kind.Name == name })
}

// readManifests reads manifests. One without a namespace gets the given one, or else "default".
func readManifests(files []string, namespace string) ([]*unstructured.Unstructured, error) {
	infos, err := resource.NewLocalBuilder().Unstructured().Flatten().
		FilenameParam(false, &resource.FilenameOptions{Filenames: files, Recursive: true}).Do().Infos()
	if err == nil {
		err = checkDuplicates(infos)
	}
	if err != nil {
		return nil, fmt.Errorf("read the manifests: %w", err)
	}
	var manifests []*unstructured.Unstructured
	for _, info := range infos {
		manifest, is := info.Object.(*unstructured.Unstructured)
		if !is || manifest.GroupVersionKind().Group != v1alpha1.GroupVersion.Group {
			continue
		}
		if manifest.GetNamespace() == "" {
			manifest.SetNamespace(orDefault(namespace))
		}
		manifests = append(manifests, manifest)
	}
	if len(manifests) == 0 {
		return nil, usageError("the files contain no manifest of %s", v1alpha1.GroupVersion.Group)
	}
	return manifests, nil
}

func orDefault(namespace string) string {
	if namespace == "" {
		return metav1.NamespaceDefault
	}
	return namespace
}

// checkDuplicates refuses files with a duplicate key: kubectl apply silently uses the last one, and
// the API server gets only that. The standard input and URLs cannot be read a second time.
func checkDuplicates(infos []*resource.Info) error {
	checked := map[string]bool{}
	for _, info := range infos {
		if checked[info.Source] {
			continue
		}
		checked[info.Source] = true
		text, err := os.ReadFile(info.Source)
		if err == nil {
			err = duplicatesIn(text)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w", info.Source, err)
		}
	}
	return nil
}

func duplicatesIn(text []byte) error {
	for documents := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document any
		err := documents.Decode(&document)
		if duplicates, is := errors.AsType[*yaml.TypeError](err); is {
			return usageError("%s: remove one of the two", strings.Join(duplicates.Errors, "; "))
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read its YAML: %w", err)
		}
	}
}
