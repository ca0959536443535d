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

// TestMerge has the examples of RFC 7396, appendix A, that a response can have.
func TestMerge(t *testing.T) {
	cases := []struct{ document, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`null`, `{"a":1}`, `{"a":1}`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"id":9007199254740993}`, `{"status":"Completed"}`, `{"id":9007199254740993,"status":"Completed"}`},
		{`{"a":"b"}`, `{}`, `{"a":"b"}`},
	}
	for _, c := range cases {
		if got := string(rewrite.Merge([]byte(c.document), []byte(c.patch))); got != c.want {
			t.Errorf("%s merged into %s: %s, want %s", c.patch, c.document, got, c.want)
		}
	}
}
