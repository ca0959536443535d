// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestRun(t *testing.T) {
	t.Parallel()
	const (
		comment = "package a\n\n"
		mended  = `"mended": use fix, correct` + "\n"
	)
	for name, test := range map[string]struct{ file, source, want string }{
		"a comment": {"a.go", comment + "// It is\n// mended.\nvar a int\n", "a.go:4: " + mended},
		"two words": {
			"a.go", comment + "// A tale.\n// Is mended.\n",
			"a.go:3: \"tale\": use run, scenario\na.go:4: " + mended,
		},
		"a longer word":       {"a.go", comment + "// It amends them.\nvar a int\n", ""},
		"a quotation":         {"a.go", comment + "// The page says \"mend\n// it\" (R1).\nvar a int\n", ""},
		"a directive":         {"a.go", comment + "//nolint:mend\nvar a int\n", ""},
		"a marker":            {"a.go", comment + "// +mend\nvar a int\n", ""},
		"a message":           {"a.go", comment + "var a = \"is mended\"\n", "a.go:3: " + mended},
		"a name":              {"a.go", comment + "var mend = \"mend\"\n", ""},
		"Markdown":            {"a.md", "# A\n\nIs mended.\n", "a.md:3: " + mended},
		"code in Markdown":    {"a.md", "`mend` it\n\n```\nmend\n```\nmended\n", "a.md:6: " + mended},
		"a target of a link":  {"a.md", "[it](mend.md)\n", ""},
		"a generated file":    {"zz_generated.a.go", comment + "// Mend it.\nvar a int\n", ""},
		"a file of no prose":  {"a.yaml", "# mend\n", ""},
		"a folder of outputs": {"bin/a.md", "mend\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			at := filepath.Join(folder, test.file)
			if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte(test.source), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			found, err := run(folder, &out)
			if err != nil || out.String() != test.want || (found > 0) != (test.want != "") {
				t.Errorf("%d found, error %v:\n%swant:\n%s", found, err, &out, test.want)
			}
		})
	}
}

func TestRunFailsOnWhatItCannotRead(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.go"), []byte("pack"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(folder, &bytes.Buffer{}); err == nil {
		t.Error("a Go file that cannot be parsed is no error")
	}
}

func TestReadRulesFails(t *testing.T) {
	t.Parallel()
	for name, list := range map[string]string{
		"on an expression that is none": `[{not: "(", use: a}]`,
		"on a word without another":     `[{not: a}]`,
		"on a key that is none":         `[{word: a, use: b}]`,
	} {
		if _, err := readRules([]byte(list)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
