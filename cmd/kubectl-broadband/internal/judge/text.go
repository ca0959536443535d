// SPDX-License-Identifier: Apache-2.0

package judge

import (
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// Time writes a time as RFC 3339 in UTC; "" for a time that is not set.
func Time(at metav1.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// FirstOf lists the first of several names, and counts the others.
func FirstOf(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}

// DescribeTarget says in one line what a request asks for; "" if the operation alone says it.
func DescribeTarget(target v1alpha1.RequestTarget) string {
	var words []string
	add := func(name, value string) {
		if value != "" {
			words = append(words, strings.TrimSpace(name+" "+strconv.Quote(value)))
		}
	}
	add("plan", target.Plan)
	if target.Term != 0 {
		words = append(words, "term "+strconv.Itoa(int(target.Term)))
	}
	add("restoration SLA", target.RestorationSLA)
	add("NTD option", target.NTDOption)
	add("", target.AggregationMethod)
	add("", target.DSLStabilityProfile)
	add("qualification order", target.RemoteOrderID)
	add("date", target.Date)
	return strings.Join(words, ", ")
}
