// SPDX-License-Identifier: Apache-2.0

package mistakes_test

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// attempt is one mistake in the cluster, with an object and a service of its own.
type attempt struct {
	mistake

	base   json.RawMessage // the manifest that is right
	values map[string]string
}

// begin prepares a mistake.
func (t table) begin(row mistake) *attempt {
	GinkgoHelper()
	a := &attempt{mistake: row, base: t.Base[cmp.Or(row.Kind, "BroadbandService")], values: map[string]string{
		"NAME": "mistake-" + strconv.Itoa(row.Number), "NAMESPACE": cluster.Namespace,
		"CARRIER": cluster.URL, "CLIENT": cluster.ClientName, "KEY": string(cluster.KeyPEM),
	}}
	id := cluster.Line(func(line *simulator.Service) {
		Expect(yaml.Unmarshal([]byte(a.expand(row.Line)), line)).To(Succeed())
	})
	a.values["SERVICE"] = strconv.FormatInt(id, 10)
	return a
}

// expand replaces the variables that a text contains.
func (a *attempt) expand(text []byte) string {
	return os.Expand(string(text), func(name string) string { return a.values[name] })
}

// environment returns the variables for a script.
func (a *attempt) environment() []string {
	env := make([]string, 0, len(a.values))
	for name, value := range a.values {
		env = append(env, name+"="+value)
	}
	return env
}

// manifest returns the manifest that is right, with a patch.
func (a *attempt) manifest(patch json.RawMessage) []byte {
	GinkgoHelper()
	if patch == nil {
		patch = json.RawMessage("{}")
	}
	merged, err := jsonpatch.MergePatch([]byte(a.expand(a.base)), []byte(a.expand(patch)))
	Expect(err).NotTo(HaveOccurred())
	return merged
}

// object returns the object of the mistake as it is in a manifest.
func (a *attempt) object(patch json.RawMessage) *unstructured.Unstructured {
	GinkgoHelper()
	object := &unstructured.Unstructured{}
	Expect(object.UnmarshalJSON(a.manifest(patch))).To(Succeed())
	object.SetNamespace(cluster.Namespace)
	return object
}

// make makes the mistake, and returns what is said about it where the row expects it.
func (a *attempt) make(ctx SpecContext) string {
	GinkgoHelper()
	if a.Given != nil {
		Expect(cluster.Create(ctx, a.object(a.Given))).To(Succeed())
	}
	if a.Await != "" {
		reason := func() string { return ready(ctx, a.object(a.Given)).Reason }
		Eventually(ctx, reason).WithPolling(often).Should(Equal(a.Await), a.Mistake)
	}
	script := cmp.Or(a.Run, "kubectl apply -f manifest.json")
	said := person.run(ctx, script, a.manifest(a.Patch), a.environment()...)
	GinkgoWriter.Printf("number %d, %s:\n%s\n", a.Number, a.Mistake, said)
	if a.Where == printed {
		return said
	}
	return a.await(ctx)
}

const (
	often  = 200 * time.Millisecond // how often the status of an object is read
	enough = 30 * time.Second       // how long a person waits for it
)

// await waits until the object says what is expected, and returns what it says.
func (a *attempt) await(ctx SpecContext) string {
	GinkgoHelper()
	last := ""
	err := wait.PollUntilContextTimeout(ctx, often, enough, true, func(ctx context.Context) (bool, error) {
		last = a.shown(ctx)
		return a.isSaid(last), nil
	})
	Expect(err).To(Or(Succeed(), MatchError(context.DeadlineExceeded)))
	return last
}

// says returns what is expected.
func (a *attempt) says() []string {
	parts := make([]string, 0, len(a.Says))
	for _, part := range a.Says {
		parts = append(parts, a.expand([]byte(part)))
	}
	return parts
}

// isSaid reports whether a text has all that is expected.
func (a *attempt) isSaid(text string) bool {
	return !slices.ContainsFunc(a.says(), func(part string) bool { return !strings.Contains(text, part) })
}

// shown returns what the object says.
func (a *attempt) shown(ctx context.Context) string {
	if a.Where == condition {
		return ready(ctx, a.object(nil)).Message
	}
	return a.events(ctx)
}

// ready returns the condition Ready of an object.
func ready(ctx context.Context, object *unstructured.Unstructured) metav1.Condition {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(object), object))).To(Succeed())
	var status struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	text, err := object.MarshalJSON()
	Expect(err).NotTo(HaveOccurred())
	Expect(json.Unmarshal(text, &status)).To(Succeed())
	return world.Condition(status.Status.Conditions, "Ready")
}

// events returns the messages of the Events of the object.
func (a *attempt) events(ctx context.Context) string {
	GinkgoHelper()
	var list corev1.EventList
	Expect(cluster.List(ctx, &list, client.InNamespace(cluster.Namespace))).To(Succeed())
	var messages []string
	for _, one := range list.Items {
		if one.InvolvedObject.Name == a.values["NAME"] {
			messages = append(messages, one.Message)
		}
	}
	return strings.Join(messages, "\n")
}
