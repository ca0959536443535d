// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/fleet"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Entry is one finished request of a report.
type Entry struct {
	SentAt    metav1.Time           `json:"sentAt"`
	Account   string                `json:"account,omitempty"` // of the object, if it exists
	Login     v1alpha1.CarrierLogin `json:"login"`
	Namespace string                `json:"namespace,omitempty"`
	Holder    string                `json:"holder,omitempty"` // the name of the object
	About     string                `json:"about"`            // service 1234567, order SITE-015
	Operation v1alpha1.Operation    `json:"operation"`
	Change    string                `json:"change"`
	Outcome   v1alpha1.RequestPhase `json:"outcome"`
	Code      string                `json:"code,omitempty"`
	Person    string                `json:"person,omitempty"` // who approved, retried or resolved it
	Label     string                `json:"label,omitempty"`  // the value of the label that the report is by
	Price     *decide.Price         `json:"price"`            // null: it is not known
}

// Report is what was changed and spent in a period.
type Report struct {
	Since   metav1.Time `json:"since"`
	Until   metav1.Time `json:"until"`
	Entries []Entry     `json:"entries"`
	Groups  []Group     `json:"groups"`
	By      string      `json:"by,omitempty"` // the label by which the entries are added up

	Namespace string          `json:"-"` // of the requests; "": all namespaces
	Selector  labels.Selector `json:"-"` // selects the objects of the requests; nil: all, deleted ones too
	Objects   Objects         `json:"-"` // the objects that exist
}

// Deleted is the label of an object that does not exist any more, so that its labels are not known.
const Deleted = "(deleted)"

// NoLabel is the label of an object that does not have the label.
const NoLabel = "(none)"

// Owner is what a report needs of an object that exists.
type Owner struct {
	types.NamespacedName

	Account string
	Labels  labels.Set
}

// Objects are the objects that exist: services and orders by kind and name, tests by UID.
type Objects map[string]Owner

// Add adds an object.
func (o Objects) Add(object fleet.Object) {
	owner := Owner{
		NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()},
		Account:        AccountOf(object), Labels: object.GetLabels(),
	}
	if _, is := object.(*v1alpha1.DiagnosticTest); is {
		o[string(object.GetUID())] = owner
		return
	}
	o[keyOf(fleet.KindOf(object).Name, owner.NamespacedName)] = owner
}

func keyOf(kind string, name types.NamespacedName) string { return kind + "/" + name.String() }

// Group adds up the entries of one account, operation and person, or those with one value of a label.
type Group struct {
	Label     string                `json:"label,omitempty"`
	Account   string                `json:"account,omitempty"`
	Login     v1alpha1.CarrierLogin `json:"login"`
	Operation v1alpha1.Operation    `json:"operation"`
	Person    string                `json:"person,omitempty"`
	Succeeded int                   `json:"succeeded"`
	Failed    int                   `json:"failed"`
	Abandoned int                   `json:"abandoned"`     // nobody knows what they cost
	Price     decide.Price          `json:"price"`         // the price of those that succeeded, as far as it is known
	Unknown   int                   `json:"unknownPrices"` // those that succeeded and whose price is not known
}

// Take adds the requests of a ledger that are in the report's period and reached the carrier.
func (r *Report) Take(ledger *v1alpha1.RequestLedger) {
	for _, ended := range ledger.Spec.Ended {
		object, exists := r.objectOf(ledger, ended)
		if !r.has(ended) || !r.selects(object, exists) {
			continue
		}
		entry := Entry{
			SentAt: ended.SubmittedAt, Account: object.Account, Login: ledger.Spec.Login, Namespace: object.Namespace,
			Holder: object.Name, About: aboutOf(ledger), Operation: ended.Operation,
			Change: decide.DescribeChanges(decide.Unpriced(ended.Changes)), Outcome: ended.Outcome, Code: ended.Code,
			Person: cmp.Or(ended.ApprovedBy, ended.RetriedBy, decide.ResolverOf(ended.ResolvedBy)),
			Price:  decide.PriceOf(ended.Changes),
		}
		if r.By != "" {
			entry.Label = labelOf(object, exists, r.By)
		}
		r.Entries = append(r.Entries, entry)
	}
}

// has reports whether an attempt reached the carrier in the period of the report.
func (r *Report) has(ended v1alpha1.EndedAttempt) bool {
	return ended.Outcome.Reached() && !ended.SubmittedAt.Before(&r.Since) && !r.Until.Before(&ended.SubmittedAt)
}

func (r *Report) selects(object Owner, exists bool) bool {
	isHere := r.Namespace == "" || object.Namespace == r.Namespace
	return isHere && (r.Selector == nil || r.Selector.Empty() || exists && r.Selector.Matches(object.Labels))
}

// objectOf returns the object that an attempt was made for: the holder of the ledger or,
// because diagnostic tests share theirs, the test. An object that no longer exists has only a
// name, and a test that no longer exists not even a name.
func (r *Report) objectOf(ledger *v1alpha1.RequestLedger, ended v1alpha1.EndedAttempt) (owner Owner, exists bool) {
	if ledger.Spec.Diagnostics != nil {
		owner, exists = r.Objects[ended.UID]
		return owner, exists
	}
	holder, kind := ledger.Spec.Holder, "BroadbandService"
	if ledger.Spec.Order != nil {
		kind = "ServiceOrder"
	}
	name := types.NamespacedName{Namespace: holder.Namespace, Name: holder.Name}
	if owner, exists = r.Objects[keyOf(kind, name)]; exists {
		return owner, true
	}
	return Owner{NamespacedName: name}, false
}

func labelOf(object Owner, exists bool, label string) string {
	value, found := object.Labels[label]
	switch {
	case !exists:
		return Deleted
	case !found:
		return NoLabel
	}
	return value
}

func aboutOf(ledger *v1alpha1.RequestLedger) string {
	switch spec := ledger.Spec; {
	case spec.Service != nil:
		return "service " + string(spec.Service.ID)
	case spec.Diagnostics != nil:
		return "service " + string(spec.Diagnostics.ID)
	case spec.Order != nil:
		return "order " + spec.Order.CustomerReference
	}
	return ""
}

// Finish sorts the entries and adds them up.
func (r *Report) Finish() {
	slices.SortStableFunc(r.Entries, func(a, b Entry) int {
		return cmp.Or(a.SentAt.Compare(b.SentAt.Time), cmp.Compare(a.About, b.About))
	})
	r.Groups = []Group{}
	for _, entry := range r.Entries {
		r.groupOf(entry).add(entry)
	}
	slices.SortFunc(r.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Login.String(), b.Login.String()),
			cmp.Compare(a.Account, b.Account), cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(a.Person, b.Person), cmp.Compare(a.Price.Currency, b.Price.Currency))
	})
}

// add counts an entry. A failed request costs nothing; the cost of an abandoned one is unknown.
func (g *Group) add(entry Entry) {
	switch entry.Outcome { //nolint:exhaustive // every other outcome is a failure
	case v1alpha1.PhaseSucceeded:
		g.Succeeded++
		if entry.Price == nil {
			g.Unknown++
			return
		}
		g.Price = g.Price.Plus(*entry.Price)
	case v1alpha1.PhaseAbandoned:
		g.Abandoned++
	default:
		g.Failed++
	}
}

func (r *Report) groupOf(entry Entry) *Group {
	wanted := Group{Label: entry.Label}
	if r.By == "" {
		wanted = Group{Account: entry.Account, Login: entry.Login, Operation: entry.Operation, Person: entry.Person}
	}
	if entry.Price != nil {
		wanted.Price.Currency = entry.Price.Currency
	}
	for i := range r.Groups {
		if group := &r.Groups[i]; group.takes(wanted) {
			group.Price.Currency = cmp.Or(group.Price.Currency, wanted.Price.Currency)
			return group
		}
	}
	r.Groups = append(r.Groups, wanted)
	return &r.Groups[len(r.Groups)-1]
}

// takes reports whether a group is the same as an empty one, and has no other currency.
func (g *Group) takes(other Group) bool {
	same := g.Label == other.Label && g.Account == other.Account && g.Login == other.Login &&
		g.Operation == other.Operation && g.Person == other.Person
	here, there := g.Price.Currency, other.Price.Currency
	return same && (here == there || here == "" || there == "")
}

// Days counts the requests of each day of the report, in UTC.
func (r *Report) Days() []Day {
	const most = 400
	var days []Day
	first := r.Since.UTC().Truncate(24 * time.Hour)
	for day := first; !day.After(r.Until.UTC()) && len(days) < most; day = day.AddDate(0, 0, 1) {
		days = append(days, Day{Date: day})
	}
	for _, entry := range r.Entries {
		at := int(entry.SentAt.UTC().Truncate(24*time.Hour).Sub(first) / (24 * time.Hour))
		if at < 0 || at >= len(days) {
			continue
		}
		days[at].Requests++
		switch {
		case entry.Outcome != v1alpha1.PhaseSucceeded:
		case entry.Price == nil:
			days[at].Unknown++
		default:
			days[at].OneTime += entry.Price.OneTime
		}
	}
	return days
}

// Day is what was sent on one day.
type Day struct {
	Date     time.Time
	Requests int
	OneTime  int64
	Unknown  int // prices that are not known
}
