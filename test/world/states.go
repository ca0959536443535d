// SPDX-License-Identifier: Apache-2.0

package world

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// StatesFolder is the environment variable with a folder for objects. For every state that the
// tests reach, the folder gets one object, in the form that any client sees. Integrations that
// judge our objects from outside are tested with these objects: `make argocd-testdata`.
const StatesFolder = "ALBUM"

// states serializes what the tests of a package write. No other package may write at the same time.
var states sync.Mutex

// collect writes the object if a folder is set, unless the folder has a simpler manifest for its
// state. The order of the tests therefore does not matter.
func (w *World) collect(object *unstructured.Unstructured, conditions []metav1.Condition) {
	ginkgo.GinkgoHelper()
	folder, state := os.Getenv(StatesFolder), stateOf(object, conditions)
	if folder == "" || state == "" {
		return
	}
	manifest, path := w.normalized(object), filepath.Join(object.GetKind(), "testdata", state+".yaml")
	states.Lock()
	defer states.Unlock()
	root, err := os.OpenRoot(folder)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	defer func() { gomega.Expect(root.Close()).To(gomega.Succeed()) }()
	held, err := root.ReadFile(path)
	if err == nil && !simpler(manifest, string(held)) {
		return
	}
	gomega.Expect(err).To(gomega.Or(gomega.BeNil(), gomega.MatchError(fs.ErrNotExist)))
	gomega.Expect(root.MkdirAll(filepath.Dir(path), 0o750)).To(gomega.Succeed())
	gomega.Expect(root.WriteFile(path, []byte(manifest), 0o600)).To(gomega.Succeed())
}

// simpler orders two manifests of a state.
func simpler(one, other string) bool {
	return cmp.Or(cmp.Compare(len(one), len(other)), cmp.Compare(one, other)) < 0
}

// stateOf returns a name for the state of an object: the Ready reason and the condition that is
// true, or "unknown" or "waiting" if none is. It returns "" if the object is being deleted or its
// current generation was not reconciled yet.
func stateOf(object *unstructured.Unstructured, conditions []metav1.Condition) string {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.ObservedGeneration != object.GetGeneration() || object.GetDeletionTimestamp() != nil {
		return ""
	}
	for _, condition := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled} {
		if meta.IsStatusConditionTrue(conditions, condition) {
			return ready.Reason + "-" + strings.ToLower(condition)
		}
	}
	if asksAboutUnknown(object) {
		return ready.Reason + "-unknown"
	}
	return ready.Reason + "-waiting"
}

// asksAboutUnknown reports whether a person has to decide about an unknown value: whether to send
// it or to trust it.
func asksAboutUnknown(object *unstructured.Unstructured) bool {
	changes, _, err := unstructured.NestedSlice(object.Object, "status", "pending", "changes")
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return slices.ContainsFunc(changes, func(change any) bool {
		row, is := change.(map[string]any)
		return is && row["unknown"] == true
	})
}

// normalized returns the object without what differs between runs or between test packages. The
// binary of each package is the client that sets the annotations.
func (w *World) normalized(object *unstructured.Unstructured) string {
	ginkgo.GinkgoHelper()
	bare := object.DeepCopy()
	for _, field := range []string{"managedFields", "uid", "resourceVersion", "creationTimestamp"} {
		unstructured.RemoveNestedField(bare.Object, "metadata", field)
	}
	text, err := yaml.Marshal(bare.Object)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	plain := strings.NewReplacer(
		strings.TrimPrefix(w.URL, "http://"), "carrier.example", "marker-of-"+w.Namespace, "marker",
		w.ClientName, ClientName, w.Namespace, "sites", filepath.Base(os.Args[0]), "controllers.test",
	).Replace(string(text))
	plain = numbered(plain, uuids, "00000000-0000-4000-8000-%012d")
	plain = numbered(plain, sums, "sha256:%064d")
	plain = numbered(plain, ports, "127.0.0.1:1%04d")
	plain = numbered(plain, ledgers, "-%032d")
	plain = numbered(plain, skews, "%dh0m0s")
	return numbered(numbered(plain, hashes, "p%032d"), services, "40000%02d")
}

// These match what differs between two runs: ids, hashes, ports, the difference between two clocks,
// and the number of a service, which depends on the tests that ran before. The seconds of a poll
// differ too, but are kept.
var (
	sums     = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
	ports    = regexp.MustCompile(`(127\.0\.0\.1|localhost):\d+`)
	uuids    = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	services = regexp.MustCompile(`\b(4\d{6}|[1-9]\d{7,12})\b`)
	hashes   = regexp.MustCompile(`\bp[0-9a-f]{32}\b`)
	ledgers  = regexp.MustCompile(`-[0-9a-f]{32}\b`)
	skews    = regexp.MustCompile(`\b\d{3,}h\d+m\d+s\b`) // from the clock of the tests to the real one
)

// numbered replaces the matches with numbers, in the order in which they occur.
func numbered(text string, matches *regexp.Regexp, format string) string {
	numbers := map[string]string{}
	return matches.ReplaceAllStringFunc(text, func(found string) string {
		if _, known := numbers[found]; !known {
			numbers[found] = fmt.Sprintf(format, len(numbers)+1)
		}
		return numbers[found]
	})
}
