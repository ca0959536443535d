// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// ListOf joins names as in a sentence: a, b and c.
func ListOf(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
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
