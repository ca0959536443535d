package rewrite_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/rewrite"
)

// TestWordsInDocuments exchanges the words in each place where they can occur.
func TestWordsInDocuments(t *testing.T) {
	for before, after := range map[string]string{
		`{"wholesaleLocationId":1}`:               `{"abcLocationId":1}`,
		`{"wholesale_test_id":null}`:              `{"abc_test_id":null}`,
		`{"sourceType":"wholesale"}`:              `{"sourceType":"abc"}`,
		`[{"installationType":"wholesale-tech"}]`: `[{"installationType":"abc-tech"}]`,
		`{"name":"WHOLESALE_FEE"}`:                `{"name":"ABC_FEE"}`,
		`{"field":"wholesaleServiceId"}`:          `{"field":"abcServiceId"}`,
		`{"summary":"wholesale-fault"}`:           `{"summary":"wholesale-fault"}`,
		`{"wholesalers":"wholesale"}`:             `{"wholesalers":"wholesale"}`,
	} {
		if got := string(rewrite.Word("abc").Write([]byte(before))); got != after {
			t.Errorf("%s becomes %s, want %s", before, got, after)
		}
		if got := string(rewrite.Word("wholesale").Write([]byte(before))); got != before {
			t.Errorf("%s becomes %s with the specification's own word", before, got)
		}
	}
}

// TestInvalidWords checks words that cannot be used in identifiers.
func TestInvalidWords(t *testing.T) {
	for _, word := range []string{"", "Abc", "1a", "a-b", "a b", "ä", strings.Repeat("a", 33)} {
		if rewrite.CheckWord(word) == nil {
			t.Errorf("%q was accepted", word)
		}
	}
}

// TestDistortions checks each distortion of an object, and that other values are unchanged.
func TestDistortions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0)) //nolint:gosec // G404: the sequence must be repeatable
	for name, c := range map[string]struct {
		distortion    *rewrite.Distortion
		before, after string
	}{
		"none":             {nil, `{"a":1}`, `{"a":1}`},
		"an unknown null":  {&rewrite.Distortion{Null: true}, `{"a":1}`, `{"a":1,"_nothing":null}`},
		"a member twice":   {&rewrite.Distortion{Repeat: true, Random: random}, `{"a":1}`, `{"a":1,"a":1}`},
		"an array":         {&rewrite.Distortion{Null: true}, `[1]`, `[1]`},
		"an empty object":  {&rewrite.Distortion{Null: true}, `{}`, `{}`},
		"shuffled members": {&rewrite.Distortion{Shuffle: true, Random: random}, `{"a":1}`, `{"a":1}`},
	} {
		if got := string(c.distortion.Apply([]byte(c.before))); got != c.after {
			t.Errorf("%s: %s becomes %s, want %s", name, c.before, got, c.after)
		}
	}
}
