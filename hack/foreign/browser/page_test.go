// SPDX-License-Identifier: Apache-2.0

// Package browser_test opens the simulator's page and the documentation in a real browser: `make
// test-browser`. It needs Chromium (Debian's package chromium), and is a module of its own because
// of chromedp.
package browser_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator"
	"github.com/chromedp/chromedp"
)

var screenshot = flag.String("screenshot", "", "`file` for a picture of the page, as PNG")

const (
	service = 1000001
	long    = 9007199254742143 // it has no exact double, as the numbers of JavaScript are
	seed    = `
clients: [{name: reseller, realm: resale, keys: {main: KEY}}]
delays: {default: 1h}
plans: [{name: Home 50/20, price: {monthly: "45.00"}}, {name: Home 100/20, price: {monthly: "58.00"}}]
services:
- {id: 1000001, client: reseller, plan: Home 50/20, term: 12, restorationSla: Standard, aggregationMethod: L2TP}
- {id: 1000002, client: reseller, plan: Home 100/20, term: 1, restorationSla: Enhanced, aggregationMethod: ETHERNET}
- {id: 9007199254742143, client: reseller, plan: Home 100/20, term: 1, restorationSla: Standard}
`
)

// The page shows a plan change while it is in progress. Its button loses the response to the next
// plan change, and the page shows that the carrier has carried out that change nevertheless.
func TestThePageShowsWhatTheCarrierSees(t *testing.T) {
	t.Parallel()
	url, client := startCarrier(t)
	chrome := openBrowser(t, url+"/_sim/")

	receipt := changePlan(t, client, service)
	if receipt.Delivery != carrier.Accepted {
		t.Fatalf("the plan change was not accepted: %+v", receipt)
	}
	expectText(t, chrome, "#requests", receipt.Handle.ID, "PlanChange", "OPEN", "1000001")
	expectText(t, chrome, "#calls", "POST PlanChange", "201")

	press(t, chrome, "Lose the response to the next plan change")
	expectText(t, chrome, "#faults", "POST PlanChange", "Reset", "after it took effect")
	if lost := changePlan(t, client, service+1); lost.Delivery == carrier.Accepted {
		t.Fatalf("the response was not lost: %+v", lost)
	}
	expectText(t, chrome, "#faults", "none")
	expectText(t, chrome, "#requests", "1000002")

	press(t, chrome, "+1 h")
	expectText(t, chrome, "#services", "Home 100/20")
	expectText(t, chrome, "#requests", "COMPLETED")
	takeScreenshot(t, chrome)
}

// The form arms a fault for the service that was typed, and the page shows its id, digit for digit.
func TestThePageKeepsTheDigitsOfALongID(t *testing.T) {
	t.Parallel()
	url, client := startCarrier(t)
	chrome := openBrowser(t, url+"/_sim/")
	expectText(t, chrome, "#services", strconv.Itoa(long))

	fill := chromedp.SendKeys(`input[name="serviceId"]`, strconv.Itoa(long))
	if err := chromedp.Run(chrome.tab, chromedp.SetValue(`select[name="target"]`, "POST PlanChange"),
		chromedp.SetValue(`select[name="kind"]`, "Reset"), fill); err != nil {
		t.Fatal(err)
	}
	press(t, chrome, "Arm for the next call")
	expectText(t, chrome, "#faults", "POST PlanChange", "Reset", strconv.Itoa(long))
	if receipt := changePlan(t, client, long-1); receipt.Delivery == carrier.Ambiguous {
		t.Error("the fault was armed for another service")
	}
	if receipt := changePlan(t, client, long); receipt.Delivery != carrier.Ambiguous {
		t.Errorf("the fault was not armed for the service: %+v", receipt)
	}
	expectText(t, chrome, "#now", time.Now().UTC().Format("2006-01-02T")) //nolint:forbidigo // as the simulator's
}

// startCarrier starts the simulator with its page, and returns its URL and a client that is logged
// in.
func startCarrier(t *testing.T) (url string, client *carrier.Client) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	now := time.Now //nolint:forbidigo // the browser's own clock is real, too
	sim := simulator.New(simulator.Options{Seed: readSeed(t, &private.PublicKey), Now: now})
	t.Cleanup(sim.Close)
	mux.Handle("/", sim.Handler())
	mux.Handle("/_sim/", sim.Management())

	key := carrier.Key{ID: "main", PEM: pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private),
	})}
	tokens, err := carrier.NewTokenSource(carrier.TokenConfig{
		TokenURL:   server.URL + "/auth/realms/resale/protocol/openid-connect/token",
		ClientName: "reseller", AllowInsecure: true, Now: now,
		NewID: newGUID,
		Keys:  func(context.Context) ([]carrier.Key, error) { return []carrier.Key{key}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err = carrier.NewClient(carrier.Config{
		BaseURL: server.URL, Version: 8, Tokens: tokens, AllowInsecure: true,
		Rate: carrier.NewRate(100, 100), Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return server.URL, client
}

func newGUID() string {
	b := make([]byte, 16)
	rand.Read(b)
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func readSeed(t *testing.T, public *rsa.PublicKey) simulator.Seed {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	quoted := `"` + strings.ReplaceAll(string(text), "\n", `\n`) + `"`
	read, err := simulator.LoadSeed(strings.NewReader(strings.Replace(seed, "KEY", quoted, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// changePlan sends one plan change.
func changePlan(t *testing.T, client *carrier.Client, serviceID int64) carrier.Receipt {
	t.Helper()
	body := carrier.PlanChangeRequest{ServiceID: serviceID, PlanName: "Home 100/20", Term: 12}
	if serviceID != service {
		body.PlanName = "Home 50/20"
	}
	return client.Submit(t.Context(), carrier.PlanChange, 8, body.Body())
}

// browser is a headless browser with one tab. chromedp identifies the tab by its context.
type browser struct{ tab context.Context } //nolint:containedctx // it stands for the tab

// openBrowser opens a page of the simulator and waits until it shows something.
func openBrowser(t *testing.T, url string) *browser {
	t.Helper()
	chrome := startBrowser(t)
	chrome.open(t, url, `body[data-shown="true"]`)
	return chrome
}

// startBrowser starts a headless browser.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.WindowSize(1280, 1000), chromedp.Flag("disable-background-networking", true))
	if path := os.Getenv("CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	tab, stop := chromedp.NewContext(allocator)
	t.Cleanup(stop)
	return &browser{tab}
}

// open opens a page and waits until an element of it is visible.
func (b *browser) open(t *testing.T, url, visible string) {
	t.Helper()
	if err := chromedp.Run(b.tab, chromedp.Navigate(url), chromedp.WaitVisible(visible, chromedp.ByQuery)); err != nil {
		t.Fatalf("open %s in Chromium (Debian's package chromium, or set CHROMIUM to its path): %v", url, err)
	}
}

func press(t *testing.T, chrome *browser, label string) {
	t.Helper()
	if err := chromedp.Run(chrome.tab, chromedp.Click(`//button[text()="`+label+`"]`, chromedp.BySearch)); err != nil {
		t.Fatalf("press %q: %v", label, err)
	}
}

// expectText waits until a part of the page contains all words. The page is refreshed every second.
func expectText(t *testing.T, chrome *browser, part string, words ...string) {
	t.Helper()
	within, cancel := context.WithTimeout(chrome.tab, 20*time.Second)
	defer cancel()
	for _, word := range words {
		script := `document.querySelector("` + part + `").innerText.includes("` + word + `")`
		if err := chromedp.Run(within, chromedp.Poll(script, nil)); err != nil {
			t.Fatalf("%s does not show %q: %v", part, word, err)
		}
	}
}

func takeScreenshot(t *testing.T, chrome *browser) {
	t.Helper()
	if *screenshot == "" {
		return
	}
	const quality = 100 // PNG
	var picture []byte
	if err := chromedp.Run(chrome.tab, chromedp.FullScreenshot(&picture, quality)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*screenshot, picture, 0o600); err != nil {
		t.Fatal(err)
	}
}
