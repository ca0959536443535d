// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// written writes pages into a new folder, which is also the top of a repository.
func written(t *testing.T, pages map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range pages {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestEveryBrokenLinkIsFound(t *testing.T) {
	t.Parallel()
	folder := written(t, map[string]string{
		"index.html": `<h1 id="top">Top</h1><a href="#top"></a><a href="design/note.html#why"></a><img src="picture.svg">` +
			`<a href="https://elsewhere.example/x#y"></a><a href="` + repository + `blob/main/picture.svg#L1"></a>` +
			`<a href="` + repository + `releases/download/v0.1.0/install.yaml"></a>`,
		"picture.svg": "<svg/>",
		"design/note.html": `<h2 id="why">Why</h2><a href="../index.html#bottom"></a><a href="gone.html"></a>` +
			`<img src="picture.svg"><a href="#how"></a><a href="` + repository + `blob/main/gone"></a>`,
	})
	broken, links := checked(t, folder)
	want := []string{
		"../index.html#bottom leads to a heading", "gone.html leads to a page", "picture.svg leads to a page",
		"#how leads to a heading", repository + "blob/main/gone leads to a file",
	}
	if len(broken) != len(want) || links != 11 {
		t.Fatalf("%d links, of which %d are broken: %q", links, len(broken), broken)
	}
	all := errors.Join(broken...).Error()
	for _, one := range want {
		if !strings.Contains(all, "design/note.html: the link "+one) {
			t.Errorf("%q is not among %q", one, broken)
		}
	}
}

func checked(t *testing.T, folder string) (broken []error, links int) {
	t.Helper()
	built, err := read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return built.check(folder)
}

func TestASiteWithoutLinksIsNotASite(t *testing.T) {
	t.Parallel()
	folder := written(t, map[string]string{"index.html": "<h1>nothing</h1>"})
	if broken, _ := checked(t, folder); len(broken) != 1 {
		t.Fatalf("a site without links passes: %q", broken)
	}
}
