// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// ListOf joins names as in a sentence, with a conjunction before the last: a, b and c.
func ListOf(names []string, conjunction string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " " + conjunction + " " + names[last]
}

// NamesOf returns the names of the carrier's offers, or of other things, each once.
func NamesOf[T any](all []T, name func(T) string) []string {
	var names []string
	for _, one := range all {
		if word := Bounded(name(one), MaxNameText); word != "" && !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	return names
}

// Bounded makes a carrier's text safe for a status: limited to a number of runes, and without
// characters that control a terminal or change the text direction.
func Bounded(text string, limit int) string {
	runes := []rune(strings.Map(printable, text))
	return string(runes[:min(len(runes), limit)])
}

func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// MaxNameText is the maximum length of names in a status, as in its schema, in runes.
const MaxNameText = 200

// JoinTexts joins texts and omits empty ones.
func JoinTexts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

func readyOf(account *v1alpha1.CarrierAccount) metav1.Condition {
	return ReadyIn(account.Status.Conditions)
}

// ReadyIn returns the condition Ready, or an empty one if there is none.
func ReadyIn(conditions []metav1.Condition) metav1.Condition {
	for _, condition := range conditions {
		if condition.Type == v1alpha1.ConditionReady {
			return condition
		}
	}
	return metav1.Condition{}
}

// MaxMessage is the maximum length of quoted messages in a status, in runes.
const MaxMessage = 1024

// maxFreeText limits a text in a value of the carrier.
const maxFreeText = 16 << 10

// FreeForm decodes a value of the carrier whose form is not documented, so that a status can hold
// it. Texts become printable, and numbers stay as they were written. It returns nil if there is no
// value.
func FreeForm(wire json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(wire))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return printed(value)
}

// printed returns a value without characters that control a terminal or change the text direction.
func printed(value any) any {
	switch value := value.(type) {
	case string:
		return Bounded(value, maxFreeText)
	case json.Number:
		if _, err := value.Float64(); err != nil {
			return string(value) // the API server would refuse a number that is no float64 (R18)
		}
	case []any:
		for i := range value {
			value[i] = printed(value[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(value))
		for key, one := range value {
			clean[Bounded(key, maxFreeText)] = printed(one)
		}
		return clean
	}
	return value
}

// Fitting returns as many items from the start of a list as fit, and true if some were left out.
func Fitting[T any](all []T, most int, left *int) ([]T, bool) {
	for i := range all {
		text, err := json.Marshal(all[i])
		if err != nil || i == most || len(text) > *left {
			return all[:i], true
		}
		*left -= len(text)
	}
	return all, false
}

// HealthText describes the health of a service: its rating, and the carrier's warnings and
// recommendations.
func HealthText(health *v1alpha1.HealthStatus) string {
	const unrated = "not rated"
	words := fmt.Sprintf("%s: connectivity %s, performance %s, stability %s", cmp.Or(health.Summary, unrated),
		cmp.Or(health.Connectivity, unrated), cmp.Or(health.Performance, unrated), cmp.Or(health.Stability, unrated))
	if health.Alert != "" {
		words += "; alert: " + health.Alert
	}
	if health.NextAction != "" {
		words += "; next: " + health.NextAction
	}
	return words
}

// The fields of a change that several kinds use, and the name of the SLA in messages.
const (
	FieldPlan    = "plan.name"
	FieldTerm    = "plan.term"
	FieldSLA     = "restorationSLA"
	FieldContact = "plan.contact" // the new value says whose data is sent, without the data
	FieldFee     = "fee"          // of an order; the new value is the name of the fee

	NameOfSLA = "restoration SLA" // in messages
)

// MonthsOf returns the months of a term as the carrier writes it: "12", or "12 months".
func MonthsOf(term string) string {
	term = strings.TrimSpace(term)
	end := strings.IndexFunc(term, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return term
	}
	return term[:end]
}

// SameName compares names of plans and other values, ignoring case and extra spaces.
func SameName(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}
