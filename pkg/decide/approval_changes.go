// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// DesiredChange is the change that one request would make.
type DesiredChange struct {
	Operation v1alpha1.Operation
	Target    v1alpha1.RequestTarget
	Before    v1alpha1.RequestBefore // the evidence used to judge an unknown outcome
	Body      []byte                 // as it is sent, without contact data
	Changes   []v1alpha1.Change      // empty if nothing has to change
	Unread    bool                   // the current value could not be read
}

// Wanted reports whether anything has to change.
func (want DesiredChange) Wanted() bool { return len(want.Changes) > 0 }

// costs reports whether the change is of class Charge or Never. The breaker and the charge limit
// hold back only these classes.
func (want DesiredChange) costs() bool {
	return ClassOf(want.Operation, want.Target).Costly()
}

// DescribeChanges puts changes into words, for example: plan.name "A" → "B" (monthly 45.00 AUD →
// 58.00 AUD), restorationSLA unknown → "C".
func DescribeChanges(changes []v1alpha1.Change) string {
	words := make([]string, 0, len(changes))
	for _, change := range changes {
		from := "unknown → "
		switch {
		case change.Field == FieldFee:
			words = append(words, "fee "+change.To+" "+FeeAmounts(change.OneTime, change.MonthlyAfter))
			continue
		case change.Operation == v1alpha1.OperationOrderCreate, change.Operation == v1alpha1.OperationDiagnosticTest:
			from = "" // there is no previous value
		case change.From != "":
			from = fmt.Sprintf("%q → ", change.From)
		}
		words = append(words,
			fmt.Sprintf("%s %s%q%s%s", change.Field, from, change.To, ntdText(change.NTDOption), priceText(change)))
	}
	return strings.Join(words, ", ")
}

func ntdText(bought *v1alpha1.NTDOptionCharge) string {
	switch {
	case bought == nil:
		return ""
	case bought.Option == "":
		return " with an additional NTD that the carrier requires"
	}
	return fmt.Sprintf(" with NTD option %q", bought.Option)
}

// BodyHash returns the hash with which a recorded request identifies its body. The body has no
// contact data, because a phone number has too few digits to be protected by a hash.
func BodyHash(body []byte) string { return "sha256:" + hex.EncodeToString(digest(body)) }

// ApprovalHash identifies what a person approves. It has 128 bits, because the author of the object
// controls part of the hashed facts and could find two plans that share a shorter hash (R8).
func ApprovalHash(facts []any) string { return "p" + hashOf(facts) }

// hashOf returns 128 bits of a hash of facts, as hexadecimal digits.
func hashOf(facts any) string {
	text, err := json.Marshal(facts)
	if err != nil {
		panic("decide: strings and structs of strings always marshal: " + err.Error())
	}
	const bits = 128
	return hex.EncodeToString(digest(text)[:bits/8])
}

func digest(text []byte) []byte {
	sum := sha256.Sum256(text)
	return sum[:]
}

// SameChange reports whether two changes are the same at the same price.
func SameChange(a, b v1alpha1.Change) bool { return equality.Semantic.DeepEqual(a, b) }

// Unpriced returns changes without their prices. An NTD that nobody has chosen is removed like a
// price, because only the carrier's offers show it.
func Unpriced(changes []v1alpha1.Change) []v1alpha1.Change {
	bare := make([]v1alpha1.Change, 0, len(changes))
	for _, c := range changes {
		row := v1alpha1.Change{Operation: c.Operation, Field: c.Field, Unknown: c.Unknown, From: c.From, To: c.To}
		if c.NTDOption != nil && c.NTDOption.Option != "" {
			row.NTDOption = &v1alpha1.NTDOptionCharge{Option: c.NTDOption.Option}
		}
		bare = append(bare, row)
	}
	return bare
}

// EqualChanges reports whether two lists contain the same changes at the same prices.
func EqualChanges(a, b []v1alpha1.Change) bool {
	return slices.EqualFunc(a, b, SameChange)
}

// ChangesOf returns the changes of the fields whose names begin with prefix.
func ChangesOf(changes []v1alpha1.Change, prefix string) []v1alpha1.Change {
	return slices.DeleteFunc(slices.Clone(changes), func(change v1alpha1.Change) bool {
		return !strings.HasPrefix(change.Field, prefix)
	})
}

// HasUnknown reports whether the carrier's present value of any of the changes is unknown.
func HasUnknown(changes []v1alpha1.Change) bool {
	return slices.ContainsFunc(changes, func(change v1alpha1.Change) bool { return change.Unknown })
}

// TrustText explains how to trust the unknown values of a plan of changes instead of requesting
// them; "" if there are none.
func TrustText(in *Input, pending *v1alpha1.Pending) string {
	if !HasUnknown(pending.Changes) {
		return ""
	}
	words := trustWords +
		AnnotateCommand(in, v1alpha1.AnnotationTrust, pending.Hash)
	if other := otherTrust(in); other != "" && Control(in.Subject, v1alpha1.AnnotationTrust) != pending.Hash {
		words += "; " + other
	}
	return words
}

// trustWords begins the text that explains how to trust unknown values.
const trustWords = "; or, if the unknown values are already as declared, trust them with: "

// WithoutTrust returns a message without the text of [TrustText].
func WithoutTrust(message string) string {
	before, _, _ := strings.Cut(message, trustWords)
	return before
}

// otherTrust describes the trust annotation, if it does not trust what is pending; "" if there is
// none or it is used up.
func otherTrust(in *Input) string {
	given := Control(in.Subject, v1alpha1.AnnotationTrust)
	if given == "" || given == in.Subject.Record().Controls().Trust {
		return ""
	}
	return fmt.Sprintf("the annotation trust=%s is for another plan of changes", given)
}
