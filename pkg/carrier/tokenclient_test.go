package carrier

import (
	"encoding/base64"
	"testing"
)

func TestATokenOfAnotherClientIsRecognized(t *testing.T) {
	t.Parallel()
	jwt := func(claims string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
	}
	for token, foreign := range map[string]bool{
		jwt(`{"client_id":"ours"}`):                   false,
		jwt(`{"azp":"ours","client_id":"ours"}`):      false,
		jwt(`{"client_id":"theirs"}`):                 true,
		jwt(`{"azp":"theirs"}`):                       true,
		jwt(`{"azp":"ours","client_id":"theirs"}`):    true,
		jwt(`{"azp":"theirs","client_id":"ours"}`):    true,
		jwt(`{"azp":"Ours"}`):                         true,
		jwt(`{"sub":"theirs"}`):                       false, // a service account, whose name may be any
		jwt(`{"client_id":null,"azp":""}`):            false,
		jwt(`[]`):                                     false,
		"e30.not base64.c2ln":                         false,
		"opaque":                                      false,
		"a.b.c.d":                                     false,
		"e30." + "eyJhenAiOiJ0aGVpcnMifQ==" + ".c2ln": true,
	} {
		if isForAnother(token, "ours") != foreign {
			t.Errorf("%s: foreign is %t", token, !foreign)
		}
	}
}
