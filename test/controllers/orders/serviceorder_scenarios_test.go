// SPDX-License-Identifier: Apache-2.0

package orders_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/broadband-operator/broadband-operator/test/controllers/fixture"
	"github.com/broadband-operator/broadband-operator/test/source"
	"github.com/broadband-operator/broadband-operator/test/world"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// orderRule is one of the ten order scenarios of spec §2. Each is a file in
// test/corpus/orders.
type orderRule struct {
	Sites map[string]orderSite `json:"sites"`
	Cases []orderCase          `json:"cases"`

	name string
}

// orderSite is a site at the carrier and in its qualification.
type orderSite struct {
	Carrier   simulator.Qualification `json:"carrier"`
	Result    json.RawMessage         `json:"result"`
	ServiceOn string                  `json:"serviceOn"` // the circuit of our own service; "" for none
}

// orderCase is an order and its outcome.
type orderCase struct {
	Name    string          `json:"name"`
	Site    string          `json:"site"`
	Rejects string          `json:"rejects"` // why the carrier rejects the order after accepting it
	Order   json.RawMessage `json:"order"`
	Expect  orderOutcome    `json:"expect"`
}

// orderOutcome is the outcome of an order: exactly one of Refused, Stalled and Body is set.
type orderOutcome struct {
	Refused string `json:"refused"` // part of the API server's error
	Stalled string `json:"stalled"` // the message of OrderNotPossible: nothing is sent
	Body    string `json:"body"`    // what is sent, byte for byte

	OrderType   string `json:"orderType"`
	OneTime     string `json:"oneTime"`     // the carrier's one-time charge
	Rejected    string `json:"rejected"`    // the reason of the carrier's later rejection
	Disconnects bool   `json:"disconnects"` // our own service is disconnected
}

// orderCorpus reads the scenarios, in order.
func orderCorpus() []orderRule {
	root := os.DirFS(source.Root())
	files, err := fs.Glob(root, "test/corpus/orders/*.yaml")
	if err != nil {
		panic(err)
	}
	rules := make([]orderRule, 0, len(files))
	for _, file := range files {
		text, err := fs.ReadFile(root, file)
		if err != nil {
			panic(err)
		}
		rule := orderRule{name: path.Base(file)}
		if err := yaml.UnmarshalStrict(text, &rule); err != nil {
			panic(file + ": " + err.Error())
		}
		rules = append(rules, rule)
	}
	return rules
}

// sides counts the orders that are allowed and those that are not.
func (r orderRule) sides() (allowed, not int) {
	for _, scenario := range r.Cases {
		if scenario.Expect.Body != "" {
			allowed++
		} else {
			not++
		}
	}
	return allowed, not
}

var _ = Describe("The order scenarios of the specification", func() {
	It("are ten, each with orders that are allowed and others that are not", func() {
		rules := orderCorpus()
		Expect(rules).To(HaveLen(10))
		for _, rule := range rules {
			allowed, not := rule.sides()
			Expect(allowed).To(BeNumerically(">", 0), rule.name)
			Expect(not).To(BeNumerically(">", 0), rule.name)
		}
	})

	for _, rule := range orderCorpus() {
		for _, scenario := range rule.Cases {
			for _, word := range []string{"wholesale", fixture.OwnWord} {
				It(rule.name+": "+scenario.Name+", where the carrier says "+word, func(ctx SpecContext) {
					site, known := rule.Sites[scenario.Site]
					Expect(known).To(BeTrue(), "the site %s is in the file", scenario.Site)
					scenario.run(ctx, site, word)
				})
			}
		}
	}
})

// asCarrierWrites replaces the specification's word in identifiers by the carrier's own.
func asCarrierWrites(text, word string) string {
	return strings.NewReplacer("wholesale", word, "WHOLESALE", strings.ToUpper(word)).Replace(text)
}

// run applies the order at the site of a carrier with that word, and checks its outcome.
func (s *orderCase) run(ctx SpecContext, site orderSite, word string) {
	GinkgoHelper()
	w, process := fixture.BeginWithWord(ctx, word)
	line := site.build(ctx, w, word)
	if s.Rejects != "" {
		fault := simulator.Fault{Kind: simulator.FaultEndInError, Body: s.Rejects}
		Expect(w.Carrier.FailNext("POST OrderCreate", fault)).To(Succeed())
	}
	manifest := &unstructured.Unstructured{}
	Expect(manifest.UnmarshalJSON(s.Order)).To(Succeed())
	manifest.SetNamespace(w.Namespace)
	err := client.WithFieldValidation(w.Client, "Strict").Create(ctx, manifest)
	if s.Expect.Refused != "" {
		Expect(err).To(MatchError(ContainSubstring(s.Expect.Refused)))
		return
	}
	Expect(err).NotTo(HaveOccurred())

	order := process.DriveOrder(ctx, manifest.GetName())

	if s.Expect.Body == "" {
		s.expectStalled(ctx, w, order)
	} else {
		s.expectTaken(ctx, w, process, order, word)
	}
	if line != 0 {
		ours, _ := w.Carrier.Service(line)
		Expect(ours.Cancellation != nil).To(Equal(s.Expect.Disconnects), "the service of our own is ended")
	}
}

// build adds the site to the simulated carrier, and its qualification to the cluster.
func (s orderSite) build(ctx SpecContext, w *world.World, word string) (line int64) {
	GinkgoHelper()
	s.Carrier.Client = w.ClientName
	Expect(w.Carrier.AddQualification(s.Carrier)).To(Succeed())
	config := fixture.Result(w, asCarrierWrites(string(s.Result), word))
	config.Name = "site-014-sq"
	Expect(w.Create(ctx, config)).To(Succeed())
	if s.ServiceOn == "" {
		return 0
	}
	return w.Line(func(ours *simulator.Service) { ours.AVCID = &s.ServiceOn })
}

// expectStalled expects that the order waits for a person, before anything is claimed or sent.
func (s *orderCase) expectStalled(ctx SpecContext, w *world.World, order *v1alpha1.ServiceOrder) {
	GinkgoHelper()
	fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderNotPossible)
	Expect(fixture.OrderCondition(order, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
	Expect(fixture.OrderCondition(order, v1alpha1.ConditionReady).Message).To(Equal(s.Expect.Stalled))
	Expect(w.Posted(fixture.OrdersPath)).To(BeEmpty())
	Expect(fixture.LedgerOf(ctx, w)).To(BeNil())
}

// expectTaken expects that the carrier received exactly the bytes of the scenario, once, and
// charges what the qualification showed.
func (s *orderCase) expectTaken(
	ctx SpecContext, w *world.World, process *world.Process, order *v1alpha1.ServiceOrder, word string,
) {
	GinkgoHelper()
	fixture.ExpectOrder(order, metav1.ConditionTrue, v1alpha1.ReasonSubmitted)
	Expect(w.Posted(fixture.OrdersPath)).To(Equal([]string{asCarrierWrites(s.Expect.Body, word)}))
	Expect(order.Status.OrderType).To(Equal(s.Expect.OrderType))
	Expect(order.Status.Fees.OneTime).To(HaveValue(HaveField("Amount", s.Expect.OneTime)))
	Expect(w.Events.All()).NotTo(ContainElement(ContainSubstring("ResultDiffers")))

	placed := w.Carrier.Orders()
	newest := placed[len(placed)-1]
	Expect(newest.ID).To(Equal(order.Status.OrderID.Number()))
	Expect(newest.RejectedReason).To(Equal(s.Expect.Rejected))
	if s.Expect.Rejected == "" {
		return
	}
	Expect(process.Reject(ctx, order.Name, newest.ID, newest.RejectedReason)).To(Succeed())
	order = process.DriveOrder(ctx, order.Name)
	fixture.ExpectOrder(order, metav1.ConditionFalse, v1alpha1.ReasonOrderRejected)
	Expect(fixture.OrderCondition(order, v1alpha1.ConditionStalled).Status).To(Equal(metav1.ConditionTrue))
	Expect(w.Posted(fixture.OrdersPath)).To(HaveLen(1), "it is not sent again automatically")
}
