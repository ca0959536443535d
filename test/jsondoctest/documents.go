// Package jsondoctest has documents for tests of code that reads JSON.
package jsondoctest

import (
	"io/fs"
	"os"
	"testing"
)

// Specified returns the documents of a folder, which are transcribed from the specification, by name.
func Specified(tb testing.TB, folder string) map[string][]byte {
	tb.Helper()
	names, err := fs.Glob(os.DirFS(folder), "*.json")
	if err != nil || len(names) == 0 {
		tb.Fatalf("%d documents in %s, %v", len(names), folder, err)
	}
	bodies := make(map[string][]byte, len(names))
	for _, name := range names {
		if bodies[name], err = fs.ReadFile(os.DirFS(folder), name); err != nil {
			tb.Fatal(err)
		}
	}
	return bodies
}

// Unusual returns short documents, valid and invalid ones, that are easy to read wrongly.
func Unusual() []string {
	return []string{
		``, ` `, `null`, `true`, `"a"`, `7`, `-0.0e+10`, `{}`, `[]`, `[[]]`, `[{}]`, `{"":""}`, `{"a":1,"a":2}`,
		` { "a" : [ 1 , "}" , { "b" : "]" } ] , "c\"" : null } `,
		"\t[\n1\r,2 ]\n", `"\ud800"`, `"\u0000"`, `"\\"`, `["\\\"",1]`,
		`{"a\u0062":1,"ab":2}`, "\"\xff\"", "{\"\xff\":1}", `{"a":1}x`, `{"a":1,}`, `[1,]`, `{"a" 1}`, `[1 2]`, `01`,
		`1e400`,
	}
}
