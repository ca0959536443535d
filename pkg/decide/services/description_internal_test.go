// SPDX-License-Identifier: Apache-2.0

package services

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
	"github.com/broadband-operator/broadband-operator/pkg/decide/internal/decidetest"
)

// A description that was requested before a value was known may show the value before that. What
// only health has named is replaced by any description.
func TestAnOlderDescriptionReplacesOnlyWhatHealthHasNamed(t *testing.T) {
	t.Parallel()
	const held, shown = "Fast", "Slow"
	equal := func(a, b string) bool { return a == b }
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
		{v1alpha1.SourceHealth, -time.Minute, shown},
		{v1alpha1.SourceHealth, time.Minute, shown},
	} {
		known := &v1alpha1.KnownValue{Value: held, Source: test.source, Since: metav1.NewTime(decidetest.Start())}
		value := &describedValue{shown: shown, held: &known, same: equal}
		if got := described(in, value, decidetest.Start().Add(test.after)); got.Value != test.want {
			t.Errorf("%s, described %s after it: %s, want %s", test.source, test.after, got.Value, test.want)
		}
	}
}
