// SPDX-License-Identifier: Apache-2.0

package browser_test

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// page is the address of a page of the documentation that `make site` has built. It is opened as a
// file, as a reader does who has no server.
func page(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../bin/site/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

func TestTheSearchLeadsToTheSection(t *testing.T) {
	t.Parallel()
	chrome := startBrowser(t)
	for from, to := range map[string]string{
		"index.html":        "operations.html#an-unknown-outcome",
		"design/index.html": "operations.html#an-unknown-outcome",
	} {
		var found string
		chrome.open(t, page(t, from), "#search input")
		if err := chromedp.Run(chrome.tab,
			chromedp.SendKeys("#search input", "an unknown outcome"),
			chromedp.WaitVisible("#search li a"),
			chromedp.Evaluate(`document.querySelector("#search li a").href`, &found),
		); err != nil {
			t.Fatalf("search from %s: %v", from, err)
		}
		if found != page(t, to) {
			t.Errorf("the search from %s finds %s", from, found)
		}
	}
}

// Tables and code scroll by themselves.
func TestNoPageIsWiderThanTheScreen(t *testing.T) {
	t.Parallel()
	chrome := startBrowser(t)
	pages, err := filepath.Glob("../../bin/site/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: run make site: %v", len(pages), err)
	}
	for _, width := range []int64{390, 1280} {
		if err := chromedp.Run(chrome.tab, chromedp.EmulateViewport(width, 1000)); err != nil {
			t.Fatal(err)
		}
		for _, path := range pages {
			if wide := chrome.width(t, page(t, filepath.Base(path))); wide > width {
				t.Errorf("%s is %d wide on a screen of %d", filepath.Base(path), wide, width)
			}
		}
	}
}

// width opens a page, and returns how wide it is.
func (b *browser) width(t *testing.T, url string) (wide int64) {
	t.Helper()
	b.open(t, url, "main")
	if err := chromedp.Run(b.tab, chromedp.Evaluate("document.documentElement.scrollWidth", &wide)); err != nil {
		t.Fatal(err)
	}
	return wide
}

func TestTheMenuOpensOnANarrowScreen(t *testing.T) {
	t.Parallel()
	chrome := startBrowser(t)
	if err := chromedp.Run(chrome.tab, chromedp.EmulateViewport(390, 1000)); err != nil {
		t.Fatal(err)
	}
	chrome.open(t, page(t, "faq.html"), "#menu-button")
	press(t, chrome, "Menu")
	if err := chromedp.Run(chrome.tab, chromedp.WaitVisible(`#menu a[aria-current="page"]`)); err != nil {
		t.Errorf("the menu does not show the page: %v", err)
	}
}
