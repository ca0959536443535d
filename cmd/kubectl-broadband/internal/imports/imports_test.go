// SPDX-License-Identifier: Apache-2.0

package imports_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
)

func TestAMappedHeaderReplacesTheRecognizedOne(t *testing.T) {
	t.Parallel()
	list := "id,plan,product\n7,wrong,Home 50/20\n"
	_, err := imports.Read(strings.NewReader(list), map[string]string{"plan": "product"})
	if err == nil || !strings.Contains(err.Error(), "plan and term go together: plan \"Home 50/20\"") {
		t.Fatal(err)
	}
}

func TestAMappedHeaderHasToExist(t *testing.T) {
	t.Parallel()
	list := "id,plan\n7,Home\n"
	if _, err := imports.Read(strings.NewReader(list), map[string]string{"plan": "tariff"}); err == nil {
		t.Fatal("a header that does not exist is accepted")
	}
}

func TestNamesAreValidAndDiffer(t *testing.T) {
	t.Parallel()
	rows, err := imports.Read(strings.NewReader("name,service\n\"Site 14, North\",1\n,2\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if rows[0].Name != "site-14-north" || rows[1].Name != "service-2" {
		t.Fatalf("%+v", rows)
	}
}

// Such a name would be empty, and its file ".yaml".
func TestANameWithoutALetterOrDigitIsRefused(t *testing.T) {
	t.Parallel()
	list := "name,service\n北,1\n,2\n–,3\n"
	_, err := imports.Read(strings.NewReader(list), nil)
	if err == nil || !strings.Contains(err.Error(), `line 2: the name "北" has no letter`) ||
		!strings.Contains(err.Error(), "line 4: ") || strings.Contains(err.Error(), "line 3") {
		t.Fatal(err)
	}
}

func TestTwoServicesOfOneNameAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := imports.Read(strings.NewReader("name,service\nSite 1,1\nsite-1,2\n"), nil); err == nil {
		t.Fatal("two services have one name")
	}
}

func TestAManifestIsNeitherChangedNorReadWithoutAReason(t *testing.T) {
	t.Parallel()
	row := imports.Row{Name: "a", ServiceID: "7", Plan: "Home", Term: "12"}
	text, err := imports.Manifest(row, imports.Target{Account: "b"})
	if err != nil {
		t.Fatal(err)
	}
	same, err := imports.Accept(text, nil)
	if err != nil || !bytes.Equal(same, text) {
		t.Fatalf("%s, %v", same, err)
	}
}

func TestTheCarriersPlanTakesThePlaceOfTheDeclaredOne(t *testing.T) {
	t.Parallel()
	row := imports.Row{Name: "a", ServiceID: "7", Plan: "Home", Term: "12"}
	text, err := imports.Manifest(row, imports.Target{Account: "b"})
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := imports.Accept(text, []imports.Difference{
		{Kind: imports.Spelling, Field: "plan.name", Carrier: "HOME"},
		{Kind: imports.OtherTerm, Field: "plan.term", Carrier: "24"},
		{Kind: imports.Unreadable, Field: "restorationSLA", Declared: "Fast"},
	})
	if err != nil || !strings.Contains(string(accepted), "name: HOME\n    term: 24") {
		t.Fatalf("%s, %v", accepted, err)
	}
}

func TestOnlyAManifestOfAnImportIsChanged(t *testing.T) {
	t.Parallel()
	if _, err := imports.Accept([]byte("kind: Secret\ndata: {}\n"), nil); err == nil {
		t.Fatal("another manifest is accepted")
	}
}
