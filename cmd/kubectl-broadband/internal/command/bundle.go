// SPDX-License-Identifier: Apache-2.0

package command

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

type bundler struct {
	*tool

	file              string
	operatorNamespace string
	contents          []bundled
	ledgers           map[string]bool // the names of the ledgers that the objects show
	removed           []string        // the redacted texts, which are redacted wherever else they appear
}

type bundled struct {
	name string
	text string
}

func (t *tool) bundleCommand() *cobra.Command {
	b := &bundler{tool: t, ledgers: map[string]bool{}}
	command := &cobra.Command{
		Use:   "bundle",
		Short: "Collect everything that a support case needs into one file, without secrets and contacts",
		Long: "Writes objects, RequestLedgers, Events, checks and versions into a .tar.gz. Secrets are never read.\n" +
			"Contacts, addresses and the paths of notifications are replaced by REDACTED. Look through it before you send it.",
		Example: examples("kubectl broadband bundle --file support.tar.gz"),
		Args:    cobra.NoArgs,
		RunE:    func(command *cobra.Command, _ []string) error { return b.run(command.Context()) },
	}
	t.addEverywhere(command)
	addOperatorNamespace(command, &b.operatorNamespace)
	command.Flags().StringVar(&b.file, "file", "broadband-support.tar.gz", "the file to write; it must not exist")
	return command
}

func (b *bundler) run(ctx context.Context) error {
	cluster, err := b.cluster()
	if err != nil {
		return err
	}
	err = b.collect(ctx, cluster)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(b.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the bundle: %w; name another file with --file", err)
	}
	if err := errors.Join(b.write(file), file.Close()); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return b.printf("%s: %s, without secrets and contacts. Look through it before you send it.\n",
		b.file, judge.Counted(len(b.contents), "file"))
}

func (b *bundler) collect(ctx context.Context, cluster *fleet.Cluster) error {
	for _, kind := range fleet.Kinds() {
		var objects []map[string]any
		err := cluster.Each(ctx, kind, nil, func(object fleet.Object) error {
			if ledger := judge.LedgerOf(object); ledger != nil {
				b.ledgers[ledger.Name] = true
			}
			redacted, err := b.redacted(object)
			objects = append(objects, redacted)
			return err
		})
		if err != nil {
			return err
		}
		if err := b.add(kind.Plural+".yaml", objects); err != nil {
			return err
		}
	}
	checker := &checker{tool: b.tool, operatorNamespace: b.operatorNamespace, withoutSecrets: true}
	checks, err := checker.checks(ctx, cluster)
	if err != nil {
		return err
	}
	return errors.Join(b.add("checks.yaml", checks), b.add("versions.yaml", map[string]string{"plugin": b.Version}),
		b.addLedgers(ctx, cluster), b.addEvents(ctx, cluster))
}

// addLedgers adds the ledgers that the objects show, and the ledgers of deleted objects of the
// namespace. The ledger of diagnostic tests has no holder.
func (b *bundler) addLedgers(ctx context.Context, cluster *fleet.Cluster) error {
	var ledgers []map[string]any
	var failure error
	err := cluster.EachLedger(ctx, func(ledger *v1alpha1.RequestLedger) {
		isHere := cluster.Namespace == "" || ledger.Spec.Holder.Namespace == cluster.Namespace
		if isHere || b.ledgers[ledger.Name] {
			redacted, err := b.redacted(ledger)
			ledgers, failure = append(ledgers, redacted), errors.Join(failure, err)
		}
	})
	if apierrors.IsForbidden(err) {
		return b.add("requestledgers.yaml", "not readable for this user")
	}
	if err != nil || failure != nil {
		return errors.Join(err, failure)
	}
	return b.add("requestledgers.yaml", ledgers)
}

func (b *bundler) addEvents(ctx context.Context, cluster *fleet.Cluster) error {
	var list corev1.EventList
	if err := cluster.List(ctx, &list, client.InNamespace(cluster.Namespace)); err != nil {
		return err
	}
	var events []map[string]any
	for i := range list.Items {
		if list.Items[i].InvolvedObject.GroupVersionKind().Group != v1alpha1.GroupVersion.Group {
			continue
		}
		redacted, err := b.redacted(&list.Items[i])
		if err != nil {
			return err
		}
		events = append(events, redacted)
	}
	return b.add("events.yaml", events)
}

func (b *bundler) redacted(object runtime.Object) (map[string]any, error) {
	plain, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("convert %T: %w", object, err)
	}
	b.removed = append(b.removed, judge.Redact(plain)...)
	return plain, nil
}

func (b *bundler) add(name string, content any) error {
	text, err := yaml.Marshal(content)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	b.contents = append(b.contents, bundled{name, string(text)})
	return nil
}

// write writes the files. A text that was redacted in one file is redacted in all of them.
func (b *bundler) write(file *os.File) error {
	packed := gzip.NewWriter(file)
	archive := tar.NewWriter(packed)
	for _, content := range b.contents {
		text := []byte(judge.Scrub(content.text, b.removed))
		header := &tar.Header{
			Name: "broadband-support/" + content.name, Mode: 0o600, Size: int64(len(text)), ModTime: b.Now(),
		}
		if err := archive.WriteHeader(header); err != nil {
			return err //nolint:wrapcheck // the caller says what it writes
		}
		if _, err := bytes.NewReader(text).WriteTo(archive); err != nil {
			return err //nolint:wrapcheck // the caller says what it writes
		}
	}
	return errors.Join(archive.Close(), packed.Close())
}
