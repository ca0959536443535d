// SPDX-License-Identifier: Apache-2.0

package prometheus_test

import (
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"testing"
)

// step is a color of a panel, from a value on.
type step struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"` // nil: from the lowest
}

// override is the color of the series whose names match.
type override struct {
	Matcher struct {
		Pattern string `json:"options"` // between two slashes
	} `json:"matcher"`
	Properties []struct {
		Value struct {
			Color string `json:"fixedColor"`
		} `json:"value"`
	} `json:"properties"`
}

// named are the colors that the dashboard names.
func named() map[string]color.RGBA {
	return map[string]color.RGBA{
		"green": {0x37, 0x87, 0x2d, 0xff}, "blue": {0x1f, 0x60, 0xc4, 0xff}, "purple": {0x8f, 0x3b, 0xb8, 0xff},
		"orange": {0xe8, 0x74, 0x00, 0xff}, "red": {0xe0, 0x2f, 0x44, 0xff},
	}
}

// palette are the colors of the other lines. Red is not among them, because it means failure.
func palette() []color.RGBA {
	return []color.RGBA{
		{0x1f, 0x60, 0xc4, 0xff},
		{0x37, 0x87, 0x2d, 0xff},
		{0x8f, 0x3b, 0xb8, 0xff},
		{0xb3, 0x86, 0x00, 0xff},
		{0x0f, 0x8a, 0x8a, 0xff},
		{0x7a, 0x52, 0x30, 0xff},
		{0x6e, 0x6e, 0x76, 0xff},
	}
}

// colorOf is the color of a line: that of the last override that matches, as in Grafana.
func colorOf(one panel, name string, number int) color.RGBA {
	chosen := palette()[number%len(palette())]
	for _, found := range one.Field.Overrides {
		if regexp.MustCompile(strings.Trim(found.Matcher.Pattern, "/")).MatchString(name) {
			chosen = named()[found.Properties[0].Value.Color]
		}
	}
	return chosen
}

// reached is the color of a value.
func reached(one panel, value float64) color.RGBA {
	chosen := "green"
	for _, from := range one.Field.Defaults.Thresholds.Steps {
		if from.Value == nil || value >= *from.Value {
			chosen = from.Color
		}
	}
	return named()[chosen]
}

// hexOf writes a color as the plots do.
func hexOf(one color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", one.R, one.G, one.B) }

func TestRedMeansFailure(t *testing.T) {
	t.Parallel()
	for title, isRed := range map[string]map[string]bool{
		"Outcomes":        {"Accepted": false, "Succeeded": false, "ResponseLost": false, "Rejected": true, "Failed": true},
		"Open requests":   {"InProgress": false, "Submitting": false, "ResponseLost": false, "OutcomeUnknown": true},
		"Calls by status": {"2xx": false, "429": false, "5xx": true, "none": true},
		"Token exchanges": {"Granted": false, "TokenRejected": true},
		"Notifications":   {"accepted": false, "refused": false},
		"Calls to the API server": {
			"GET 200": false, "PUT 409": false, "GET 404": false, "GET 403": true, "POST 500": true,
		},
		"Calls by operation": {"POST PlanChange": false},
	} {
		shown := titled(t, title)
		for name, want := range isRed {
			for number := range palette() {
				if is := colorOf(shown, name, number) == named()["red"]; is != want {
					t.Errorf("%s: %s is red: %t", title, name, is)
				}
			}
		}
	}
}

// titled returns the panel with a title.
func titled(t *testing.T, title string) panel {
	t.Helper()
	for _, one := range panels(t) {
		if one.Title == title {
			return one
		}
	}
	t.Fatalf("the dashboard has no panel %q", title)
	return panel{}
}
