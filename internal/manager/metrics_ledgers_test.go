// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// keptLedgers are RequestLedgers that a real manager wrote, each with an open request. With them,
// the tests in hack/foreign/kubestatemetrics check the configuration of kube-state-metrics.
const keptLedgers = "hack/foreign/kubestatemetrics/testdata/requestledgers.yaml"

// neverEnding keeps a change of a DSL profile in progress for longer than a test takes.
func neverEnding(seed *simulator.Seed) {
	seed.Delays[string(simulator.OpDSLStabilityProfileChange)] = simulator.Duration(world.Speed * time.Hour)
}

// openLedgers returns the RequestLedgers of the world with an open request, in the order of their
// holders.
func openLedgers(ctx context.Context, w *world.World) []v1alpha1.RequestLedger {
	GinkgoHelper()
	var all v1alpha1.RequestLedgerList
	Expect(w.List(ctx, &all)).To(Succeed())
	found := slices.DeleteFunc(all.Items, func(ledger v1alpha1.RequestLedger) bool {
		return len(ledger.Spec.Open) == 0 || ledger.Spec.Holder.Namespace != w.Namespace
	})
	slices.SortFunc(found, func(a, b v1alpha1.RequestLedger) int {
		return cmp.Compare(a.Spec.Holder.Name, b.Spec.Holder.Name)
	})
	return found
}

// keepLedgers writes the ledgers, without what is specific to their cluster.
func keepLedgers(w *world.World, found []v1alpha1.RequestLedger) {
	GinkgoHelper()
	kept := v1alpha1.RequestLedgerList{TypeMeta: metav1.TypeMeta{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "RequestLedgerList",
	}}
	for _, ledger := range found {
		ledger.TypeMeta = metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "RequestLedger"}
		ledger.ObjectMeta = metav1.ObjectMeta{Name: ledger.Name}
		kept.Items = append(kept.Items, ledger)
	}
	text, err := yaml.Marshal(kept)
	Expect(err).NotTo(HaveOccurred())
	plain := strings.NewReplacer(w.URL, "https://carrier.example", strings.TrimPrefix(w.URL, "http://"), "carrier.example",
		w.Namespace, "sites").Replace(string(text))
	Expect(os.WriteFile(filepath.Join(source.Root(), keptLedgers), []byte(plain), 0o600)).To(Succeed())
}

// subject is what distinguishes the metrics of ledgers from each other.
type subject struct{ holder, operation, phase string }

func subjects(ledgers []v1alpha1.RequestLedger) []subject {
	var all []subject
	for _, ledger := range ledgers {
		for _, open := range ledger.Spec.Open {
			all = append(all, subject{ledger.Spec.Holder.Name, string(open.Operation), string(open.Phase)})
		}
	}
	return all
}
