// SPDX-License-Identifier: Apache-2.0

package services

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/test/decidetest"
)

// A description that was requested before a value was known may show the previous value. What only
// health has named is replaced by any description.
func TestAnOlderDescriptionReplacesOnlyWhatHealthHasNamed(t *testing.T) {
	t.Parallel()
	const held, shown = "Fast", "Slow"
	in := &Input{}
	in.Now = decidetest.Start().Add(time.Hour)
	for _, test := range []struct {
		source v1alpha1.ValueSource
		after  time.Duration // from when the value was known until the description was requested
		want   string
	}{
		{v1alpha1.SourceChangeResult, -time.Minute, held},
		{v1alpha1.SourceChangeResult, time.Minute, shown},
		{v1alpha1.SourceService, -time.Minute, held},
		{v1alpha1.SourceService, time.Minute, shown},
		{v1alpha1.SourceOrder, 0, shown}, // taken over in the same second
		{v1alpha1.SourceHealth, -time.Minute, shown},
		{v1alpha1.SourceHealth, time.Minute, shown},
	} {
		known := &v1alpha1.KnownValue{Value: held, Source: test.source, Since: metav1.NewTime(decidetest.Start())}
		value := &describedValue{shown: shown, known: &known}
		if got := knownAfterReading(in, value, decidetest.Start().Add(test.after)); got.Value != test.want {
			t.Errorf("%s, described %s after it: %s, want %s", test.source, test.after, got.Value, test.want)
		}
	}
}

// A declared value that the service had, by the carrier's word, has drifted if a later description
// shows another one.
func TestADescribedValueHasDriftedFromWhatWasAgreed(t *testing.T) {
	t.Parallel()
	const declared, other = "Fast", "Slow"
	known := func(value string, source v1alpha1.ValueSource, driftedFrom string) *v1alpha1.KnownValue {
		return &v1alpha1.KnownValue{
			Value: value, Source: source, DriftedFrom: driftedFrom, Since: metav1.NewTime(decidetest.Start()),
		}
	}
	const result, service = v1alpha1.SourceChangeResult, v1alpha1.SourceService
	in := &Input{}
	in.Now = decidetest.Start().Add(time.Hour)
	for name, row := range map[string]struct {
		held            *v1alpha1.KnownValue
		declared, shown string
		driftedFrom     string
	}{
		"changed by somebody else":     {known(declared, result, ""), declared, other, declared},
		"and again":                    {known("Medium", service, declared), declared, other, declared},
		"and back":                     {known(other, service, declared), declared, declared, ""},
		"never as declared":            {known("Medium", service, ""), declared, other, ""},
		"not declared":                 {known(declared, result, ""), "", other, ""},
		"only trusted to be":           {known(declared, v1alpha1.SourceDeclared, ""), declared, other, ""},
		"only named by health":         {known(declared, v1alpha1.SourceHealth, ""), declared, other, ""},
		"drifted from an earlier spec": {known("Medium", service, "Old"), declared, other, ""},
		"never known":                  {nil, declared, other, ""},
	} {
		value := &describedValue{
			declared: row.declared, shown: row.shown, known: &row.held,
		}
		got := knownAfterReading(in, value, in.Now)
		if got.Value != row.shown || got.DriftedFrom != row.driftedFrom {
			t.Errorf("%s: %q, drifted from %q", name, got.Value, got.DriftedFrom)
		}
	}
}
