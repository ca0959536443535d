package carrier

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestServiceRead(t *testing.T) {
	body := string(golden(t, "service.json"))
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   Class
	}{
		"200":                           {respond(200, body), ""},
		"200 without the id":            {respond(200, `{"bandwidthProfile":{"planName":"Basic"}}`), ""},
		"another service's":             {respond(200, `{"id":7,"eSla":"Standard"}`), Unreadable},
		"of no service":                 {respond(200, `{"status":"ok"}`), Unreadable},
		"202":                           {respond(202, body), Unreadable},
		"a page":                        {respond(200, "<html>"), Unreadable},
		"an endless body":               {respond(200, string(make([]byte, 2<<20))), Unreadable},
		"400":                           {respond(400, ""), Invalid},
		"401":                           {respond(401, ""), Unauthorized},
		"403":                           {respond(403, ""), NotFoundOrForbidden},
		"404 proves nothing":            {respond(404, ""), NotFoundOrForbidden},
		"405":                           {respond(405, ""), Invalid},
		"500":                           {respond(500, ""), ServerFault},
		"an id that is no whole number": {respond(200, `{"id":"x","eSla":"Standard"}`), Unreadable},
	} {
		t.Run(name, func(t *testing.T) {
			var asked string
			carrier := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked = r.Method + " " + r.URL.Path + " " + r.Header.Get("X-Api-Version")
				test.answer(w, r)
			})
			got, err := testClient(t, carrier.URL).Service(t.Context(), 9007199254740993, 4)
			if ClassOf(err) != test.want || err == nil && got.ID != 9007199254740993 {
				t.Errorf("Service = %+v, %v; want class %q", got, err, test.want)
			}
			if want := "GET /api/connect/services/9007199254740993 4"; asked != want {
				t.Errorf("requested %s, want %s", asked, want)
			}
		})
	}
	if _, err := testClient(t, "http://127.0.0.1:1").Service(t.Context(), 0, 8); ClassOf(err) != Invalid {
		t.Errorf("Service 0: %v", err)
	}
}

func TestServiceIsReadInTheCarriersWord(t *testing.T) {
	body := strings.ReplaceAll(string(golden(t, "service.json")), "wholesale", "abc")
	carrier := serve(t, respond(200, body))
	client := testClient(t, carrier.URL, func(c *Config) { c.Word = "abc" })
	got, err := client.Service(t.Context(), 9007199254740993, 8)
	if err != nil || got.ActivatedOn != "2026-01-02T03:04:05Z" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestServiceIsReadTolerantly: null, absent, a Number for a String and the reverse, a day or a
// date-time.
func TestServiceIsReadTolerantly(t *testing.T) {
	got, err := decodeService([]byte(`{"id":"7","vlanId":100,"eSla":"Standard","technologyType":null,"address":null,
		"bandwidthProfile":{"speedDown":"50","planName":"Basic","cvcInclusion":2},"infrastructure":{"id":5},
		"modifiedOn":"2022-01-31T01:02:03Z","dslStabilityProfile":null,"isNfas":"true","unknown":[1]}`))
	want := Service{
		ID: 7, VLANID: "100", RestorationSLA: "Standard", ModifiedOn: "2022-01-31T01:02:03Z", IsNFAS: true,
		BandwidthProfile: BandwidthProfile{SpeedDown: "50", PlanName: "Basic", CVCInclusion: "2"},
		Infrastructure:   &OrderedInfra{ID: "5"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, day := range []Timestamp{"2022-01-31", "2022-01-31T01:02:03Z"} {
		if _, ok := day.Time(); !ok {
			t.Errorf("%s is no time", day)
		}
	}
}

func TestModificationsMeanNothingButThatThereAreSome(t *testing.T) {
	for value, some := range map[string]bool{
		"null": false, `""`: false, "[]": false, "{}": false, `[[],{"a":null}]`: false,
		`{"plan":[],"sla":null,"dslStabilityProfile":{}}`: false,
		`"PLAN_CHANGE"`: true, "[1]": true, `{"plan":[{}],"sla":[{"id":1}]}`: true, "true": true, "0": true,
		strings.Repeat("[", 20) + strings.Repeat("]", 20): true,
	} {
		got, err := decodeService([]byte(`{"id":7,"modifications":` + value + `}`))
		if err != nil || (got.Modifications != nil) != some {
			t.Errorf("%s: %q, %v; want some: %t", value, got.Modifications, err, some)
		}
	}
	long := `{"id":7,"modifications":"` + strings.Repeat("x", 5000) + `"}`
	got, err := decodeService([]byte(long))
	if err != nil || len(got.Modifications) != maxModifications {
		t.Errorf("%d bytes were kept, %v", len(got.Modifications), err)
	}
}
