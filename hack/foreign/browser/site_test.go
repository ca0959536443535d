// SPDX-License-Identifier: Apache-2.0

package browser_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// page is the address of a page of the documentation that `make site` has built. It is opened as a
// file, as a reader does who has no server.
func page(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../../../bin/site/" + name)
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
	pages, err := filepath.Glob("../../../bin/site/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages: run make site: %v", len(pages), err)
	}
	for _, width := range []int64{390, 1280} {
		chrome.resize(t, width)
		for _, path := range pages {
			if wide := chrome.width(t, page(t, filepath.Base(path))); wide > width {
				t.Errorf("%s is %d wide on a screen of %d", filepath.Base(path), wide, width)
			}
		}
	}
}

// width opens a page, and returns how wide it is.
func (b *browser) width(t *testing.T, url string) int64 {
	t.Helper()
	b.open(t, url, "h1")
	return b.count(t, "document.documentElement.scrollWidth")
}

func TestTheMenuOpensOnANarrowScreen(t *testing.T) {
	t.Parallel()
	chrome := startBrowser(t)
	chrome.resize(t, 390)
	chrome.open(t, page(t, "faq.html"), "#menu-button")
	press(t, chrome, "Menu")
	if err := chromedp.Run(chrome.tab, chromedp.WaitVisible(`#menu a[aria-current="page"]`)); err != nil {
		t.Errorf("the menu does not show the page: %v", err)
	}
	if open := chrome.count(t, `document.querySelectorAll("#menu details[open]").length`); open != 1 {
		t.Errorf("the menu has %d open groups", open)
	}
}

// What is bought, and at which price, is what the first page is about.
func TestTheFirstPageShowsWholeTablesOnEveryScreen(t *testing.T) {
	t.Parallel()
	chrome := startBrowser(t)
	for _, width := range []int64{390, 1280} {
		chrome.resize(t, width)
		chrome.open(t, page(t, "index.html"), ".terminal")
		const hidden = `document.querySelector(".terminal").scrollWidth - document.querySelector(".terminal").clientWidth`
		if wider := chrome.count(t, hidden); wider > 0 {
			t.Errorf("on a screen of %d, the last %d pixels of the output are hidden", width, wider)
		}
	}
}

// The button copies the commands of a session without what they printed, and a command of several
// lines as a whole. What a program printed has no button.
func TestWhatIsCopiedCanBeRun(t *testing.T) {
	t.Parallel()
	chrome := startBrowser(t)
	for name, want := range map[string]string{
		"healthcheck.html": "kubectl get hcheck\n",
		"install.html":     "    --predicate-type=https://spdx.dev/Document/v2.3 --format=json\n",
		"tutorial.html":    "cd broadband-operator\nmake demo\n",
	} {
		all := chrome.copied(t, page(t, name))
		if !strings.Contains(all, want) {
			t.Errorf("no button of %s copies %q", name, want)
		}
		for line := range strings.Lines(all) {
			if strings.HasPrefix(line, "$ ") || strings.HasPrefix(line, "NAME ") || strings.HasPrefix(line, "demo: ") {
				t.Errorf("a button of %s copies %q", name, line)
			}
		}
	}
}

// copied opens a page, presses all of its buttons, and returns what they copied.
func (b *browser) copied(t *testing.T, url string) (all string) {
	t.Helper()
	const press = `
		navigator.clipboard.writeText = async (text) => { copies += text; };
		var copies = "";
		for (const button of document.querySelectorAll(".copy")) button.click();
		copies`
	b.open(t, url, ".copy")
	if err := chromedp.Run(b.tab, chromedp.Evaluate(press, &all)); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestNoButtonCoversCode(t *testing.T) {
	t.Parallel()
	chrome := startBrowser(t)
	const covered = `[...document.querySelectorAll(".frame")].filter((frame) => {
		const code = frame.querySelector("pre").getBoundingClientRect();
		const copy = frame.querySelector(".copy").getBoundingClientRect();
		return copy.left < code.right && copy.top < code.bottom;
	}).length`
	for _, width := range []int64{390, 1280} {
		chrome.resize(t, width)
		chrome.open(t, page(t, "tutorial.html"), ".copy")
		if number := chrome.count(t, covered); number > 0 {
			t.Errorf("on a screen of %d, %d buttons cover their code", width, number)
		}
	}
}

// resize makes the screen that wide.
func (b *browser) resize(t *testing.T, width int64) {
	t.Helper()
	if err := chromedp.Run(b.tab, chromedp.EmulateViewport(width, 1000)); err != nil {
		t.Fatal(err)
	}
}

// count returns a number that a script finds in the page.
func (b *browser) count(t *testing.T, script string) (number int64) {
	t.Helper()
	if err := chromedp.Run(b.tab, chromedp.Evaluate(script, &number)); err != nil {
		t.Fatal(err)
	}
	return number
}
