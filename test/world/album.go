// SPDX-License-Identifier: Apache-2.0

package world

import (
	"cmp"
	"fmt"
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

// AlbumFolder is the environment variable that names the folder for an album: of every
// state that the stories of a run lead to, one object as any client sees it. Those who
// judge our objects from outside are tested on them: `make argocd-testdata`.
const AlbumFolder = "ALBUM"

// album is the album of this run.
var album = struct {
	sync.Mutex

	pictures map[string]string // by file
}{pictures: map[string]string{}}

// portray keeps the object, if there is an album and it shows its state in fewer words than
// the one in it. So it does not matter in which order the stories are told.
func (w *World) portray(object *unstructured.Unstructured, conditions []metav1.Condition) {
	ginkgo.GinkgoHelper()
	folder, state := os.Getenv(AlbumFolder), stateOf(object, conditions)
	if folder == "" || state == "" {
		return
	}
	picture, path := w.picture(object), filepath.Join(object.GetKind(), "testdata", state+".yaml")
	album.Lock()
	defer album.Unlock()
	if held, has := album.pictures[path]; has && !simpler(picture, held) {
		return
	}
	album.pictures[path] = picture
	root, err := os.OpenRoot(folder)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	defer func() { gomega.Expect(root.Close()).To(gomega.Succeed()) }()
	gomega.Expect(root.MkdirAll(filepath.Dir(path), 0o750)).To(gomega.Succeed())
	gomega.Expect(root.WriteFile(path, []byte(picture), 0o600)).To(gomega.Succeed())
}

// simpler orders two pictures of a state.
func simpler(one, other string) bool {
	return cmp.Or(cmp.Compare(len(one), len(other)), cmp.Compare(one, other)) < 0
}

// stateOf is Ready's reason and how the object stands, in the words of kstatus; "" for one
// that goes, or that the operator has not looked at as it is now.
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
	if asksWhich(object) {
		return ready.Reason + "-unknown"
	}
	return ready.Reason + "-waiting"
}

// asksWhich says whether a person is asked about a value that is not known: to have it sent, or
// believed.
func asksWhich(object *unstructured.Unstructured) bool {
	changes, _, err := unstructured.NestedSlice(object.Object, "status", "pending", "changes")
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return slices.ContainsFunc(changes, func(change any) bool {
		row, is := change.(map[string]any)
		return is && row["unknown"] == true
	})
}

// picture is the object without what differs from run to run.
func (w *World) picture(object *unstructured.Unstructured) string {
	ginkgo.GinkgoHelper()
	bare := object.DeepCopy()
	for _, field := range []string{"managedFields", "uid", "resourceVersion", "creationTimestamp"} {
		unstructured.RemoveNestedField(bare.Object, "metadata", field)
	}
	text, err := yaml.Marshal(bare.Object)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	plain := strings.NewReplacer(
		w.URL, "https://carrier.example", strings.TrimPrefix(w.URL, "http://"), "carrier.example", w.Namespace, "sites",
	).Replace(string(text))
	plain = numbered(plain, uuids, "00000000-0000-4000-8000-%012d")
	plain = numbered(plain, sums, "sha256:%064d")
	plain = numbered(plain, ports, "127.0.0.1:%05d")
	return numbered(numbered(plain, hashes, "p%016d"), services, "40000%02d")
}

// What differs between two runs: ids, hashes over them, ports, and the number of a service,
// which depends on the stories that were told before. The seconds of a poll differ too, and stay.
var (
	sums     = regexp.MustCompile(`sha256:[0-9a-f]{64}`)
	ports    = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	uuids    = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	services = regexp.MustCompile(`\b(4\d{6}|[1-9]\d{7,12})\b`)
	hashes   = regexp.MustCompile(`\bp[0-9a-f]{32}\b`)
)

// numbered gives what matches numbers instead, in the order in which it comes up.
func numbered(text string, matches *regexp.Regexp, format string) string {
	numbers := map[string]string{}
	return matches.ReplaceAllStringFunc(text, func(found string) string {
		if _, known := numbers[found]; !known {
			numbers[found] = fmt.Sprintf(format, len(numbers)+1)
		}
		return numbers[found]
	})
}
