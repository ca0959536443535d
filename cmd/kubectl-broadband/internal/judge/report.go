// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide"
)

// Entry is one finished request of a report.
type Entry struct {
	SentAt    metav1.Time           `json:"sentAt"`
	Login     v1alpha1.CarrierLogin `json:"login"`
	Namespace string                `json:"namespace,omitempty"`
	Holder    string                `json:"holder,omitempty"` // the name of the object
	About     string                `json:"about"`            // service 1234567, order SITE-015
	Operation v1alpha1.Operation    `json:"operation"`
	Change    string                `json:"change"`
	Outcome   v1alpha1.RequestPhase `json:"outcome"`
	Code      string                `json:"code,omitempty"`
	Person    string                `json:"person,omitempty"` // who approved, retried or resolved it
	Price     *decide.Price         `json:"price"`            // null: it is not known
}

// Report is what was changed and spent in a period.
type Report struct {
	Since   metav1.Time `json:"since"`
	Until   metav1.Time `json:"until"`
	Entries []Entry     `json:"entries"`
	Groups  []Group     `json:"groups"`

	Namespace string                          `json:"-"` // whose requests it has; "": those of all
	Tests     map[string]types.NamespacedName `json:"-"` // the diagnostic tests that exist, by UID
}

// Group adds up the entries of one login, operation and person.
type Group struct {
	Login     v1alpha1.CarrierLogin `json:"login"`
	Operation v1alpha1.Operation    `json:"operation"`
	Person    string                `json:"person,omitempty"`
	Succeeded int                   `json:"succeeded"`
	Failed    int                   `json:"failed"`
	Abandoned int                   `json:"abandoned"`     // nobody knows what they cost
	Price     decide.Price          `json:"price"`         // of those that succeeded and whose price is known
	Unknown   int                   `json:"unknownPrices"` // those that succeeded and whose price is not known
}

// Take adds the requests of a ledger that were sent for the namespace in the period of the report,
// and reached the carrier.
func (r *Report) Take(ledger *v1alpha1.RequestLedger) {
	for _, ended := range ledger.Spec.Ended {
		object := r.objectOf(ledger, ended)
		isHere := r.Namespace == "" || object.Namespace == r.Namespace
		if !isHere || !ended.Outcome.Reached() || ended.SubmittedAt.Before(&r.Since) || r.Until.Before(&ended.SubmittedAt) {
			continue
		}
		entry := Entry{
			SentAt: ended.SubmittedAt, Login: ledger.Spec.Login, Namespace: object.Namespace,
			Holder: object.Name, About: aboutOf(ledger), Operation: ended.Operation,
			Change: decide.DescribeChanges(decide.Unpriced(ended.Changes)), Outcome: ended.Outcome, Code: ended.Code,
			Person: cmp.Or(ended.ApprovedBy, ended.RetriedBy, decide.ResolverOf(ended.ResolvedBy)),
		}
		bill := decide.BillOf(ended.Changes)
		if price, known := bill.Price(); known {
			entry.Price = &price
		}
		r.Entries = append(r.Entries, entry)
	}
}

// objectOf returns the object that an attempt was made for: the holder of the ledger or, because
// diagnostic tests share theirs, the test; it is empty for a test that no longer exists.
func (r *Report) objectOf(ledger *v1alpha1.RequestLedger, ended v1alpha1.EndedAttempt) types.NamespacedName {
	if ledger.Spec.Diagnostics != nil {
		return r.Tests[ended.UID]
	}
	return types.NamespacedName{Namespace: ledger.Spec.Holder.Namespace, Name: ledger.Spec.Holder.Name}
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
		return cmp.Or(cmp.Compare(a.Login.String(), b.Login.String()), cmp.Compare(a.Operation, b.Operation),
			cmp.Compare(a.Person, b.Person), cmp.Compare(a.Price.Currency, b.Price.Currency))
	})
}

// add counts an entry. A request that failed costs nothing, and nobody knows what an abandoned one
// costs.
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
	currency := ""
	if entry.Price != nil {
		currency = entry.Price.Currency
	}
	for i := range r.Groups {
		group := &r.Groups[i]
		same := group.Login == entry.Login && group.Operation == entry.Operation && group.Person == entry.Person
		if same && (group.Price.Currency == currency || group.Price.Currency == "" || currency == "") {
			group.Price.Currency = cmp.Or(group.Price.Currency, currency)
			return group
		}
	}
	r.Groups = append(r.Groups, Group{
		Login: entry.Login, Operation: entry.Operation, Person: entry.Person, Price: decide.Price{Currency: currency},
	})
	return &r.Groups[len(r.Groups)-1]
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
