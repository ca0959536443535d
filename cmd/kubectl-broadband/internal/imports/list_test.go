// SPDX-License-Identifier: Apache-2.0

package imports_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/imports"
	"github.com/broadband-operator/broadband-operator/config"
)

// ofTheCRD are the rules of the CustomResourceDefinition.
var ofTheCRD = sync.OnceValues(func() (*imports.Rules, error) {
	definition, err := config.Manifests.ReadFile("crd/bases/wholesale.broadband_broadbandservices.yaml")
	if err != nil {
		return nil, err
	}
	return imports.NewRules(definition)
})

func rules(t *testing.T) *imports.Rules {
	t.Helper()
	made, err := ofTheCRD()
	if err != nil {
		t.Fatal(err)
	}
	return made
}

var target = imports.Target{Namespace: "sites", Account: "default"}

// imported returns the manifests of a list, as one text.
func imported(t *testing.T, list string, options imports.Options) (string, error) {
	t.Helper()
	read, err := imports.Read([]byte(list), options)
	if err != nil {
		return "", err
	}
	manifests, err := read.Manifests(t.Context(), target, rules(t))
	if err != nil {
		return "", err
	}
	var texts []string
	for _, manifest := range manifests {
		text, err := manifest.Text()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	return strings.Join(texts, "---\n"), nil
}

const plain = "name,service id,plan,term,SLA\nSite A,1001,Home 50/20,12,Standard\n" +
	"\"Site, B\",1002,\"Home \"\"Plus\"\"\",24,\n"

// wide returns a text in UTF-16.
func wide(text string, order binary.AppendByteOrder) string {
	var list []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		list = order.AppendUint16(list, unit)
	}
	return string(list)
}

// mentions reports whether there is an error with a text.
func mentions(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }

// expectAll fails unless a text has all parts.
func expectAll(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
}

// expectMistake fails unless an error has one mistake, of a line.
func expectMistake(t *testing.T, err error, line int, text string) {
	t.Helper()
	mistakes, is := errors.AsType[imports.LineErrors](err)
	if !is || len(mistakes) != 1 || mistakes[0].Line != line || !mentions(err, text) {
		t.Errorf("%q: %v", text, err)
	}
}

// Every way in which a spreadsheet writes a list gives the same manifests.
func TestWhatSpreadsheetsWriteIsRead(t *testing.T) {
	t.Parallel()
	want, err := imported(t, plain, imports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	expectAll(t, want, `name: Home "Plus"`, "name: site-b\n")
	semicolons := "name;service id;plan;term;SLA\nSite A;1001;Home 50/20;12;Standard\n" +
		"Site, B;1002;\"Home \"\"Plus\"\"\";24;\n"
	for name, list := range map[string]string{
		"with a byte order mark":     "\ufeff" + plain,
		"with a mark and quotes":     "\ufeff" + strings.Replace(plain, "name", `"name"`, 1),
		"in UTF-16":                  wide(plain, binary.LittleEndian),
		"in UTF-16, big endian":      wide(plain, binary.BigEndian),
		"with semicolons":            semicolons,
		"with tabs":                  strings.ReplaceAll(semicolons, ";", "\t"),
		"with bars":                  strings.ReplaceAll(semicolons, ";", "|"),
		"with a line of the sign":    "sep=;\r\n" + semicolons,
		"with a quoted line of it":   "\ufeff\"sep=,\"\n" + plain,
		"with lines of a PC":         strings.ReplaceAll(plain, "\n", "\r\n"),
		"with lines of an old Mac":   strings.ReplaceAll(plain, "\n", "\r"),
		"with formulas":              strings.ReplaceAll(plain, ",1001,", `,="1001",`),
		"with quoted formulas":       strings.ReplaceAll(plain, ",1001,", `,"=""1001""",`),
		"with a formula at the end":  strings.ReplaceAll(plain, "12,Standard", `12,="Standard"`),
		"with blank rows":            "\n,,,,\n" + plain + ",,,,\n , ,,,\n\n",
		"with spaces around":         strings.ReplaceAll(strings.ReplaceAll(plain, "1001,", " 1001 ,"), ",12,", ", 12 ,"),
		"with zeros before a number": strings.ReplaceAll(plain, "1001", "0001001"),
		"with another column": "name,x,service id,plan,term,SLA\nSite A,,1001,Home 50/20,12,Standard\n" +
			"\"Site, B\",9,1002,\"Home \"\"Plus\"\"\",24,\n",
	} {
		if got, err := imported(t, list, imports.Options{}); err != nil || got != want {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

func TestTheSeparatorOfAPersonCounts(t *testing.T) {
	t.Parallel()
	const list = "service id;old,new\n7;8,9\n"
	for separator, want := range map[string]string{
		"": `--separator "," or --separator ";"`, ",": "no column is recognized", "x": "one of , ; | and tab",
	} {
		if _, err := imports.Read([]byte(list), imports.Options{Separator: separator}); !mentions(err, want) {
			t.Errorf("%q: %v", separator, err)
		}
	}
	for separator, text := range map[string]string{";": list, "TAB": strings.ReplaceAll(list, ";", "\t")} {
		read, err := imports.Read([]byte(text), imports.Options{Separator: separator})
		if err != nil || read.Rows[0].ServiceID != "7" {
			t.Fatal(err)
		}
		expectAll(t, strings.Join(read.Notes(), ""), `Not read: "old,new" (--map FIELD=HEADER reads a column as a field).`)
	}
}

// A list that cannot be read as a whole has one error, in one line, which says what to do.
func TestAListThatCannotBeReadIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		list, want string
		mapped     map[string]string
	}{
		"Latin-1": {
			"name,service id\nMüller,1\nM\xfcller,2\n",
			`line 3, column 2: the byte 0xfc is not UTF-8 text: save the list as "CSV UTF-8"`, nil,
		},
		"lost letters":        {"name,service id\nM\ufffdller,2\n", "line 2, column 2: ", nil},
		"a NUL":               {"name,service id\na\x00,2\n", "line 2, column 2: the byte 0x00", nil},
		"UTF-16 without mark": {"i\x00d\x00", "line 1, column 2: ", nil},
		"a workbook":          {"PK\x03\x04rest", "workbook", nil},
		"nothing":             {"\n,,\n", "the list is empty", nil},
		"a header only":       {"service id,plan,term\n,,\n", "no services below it", nil},
		"a missing quote":     {"service id,plan,term\n1,Home \"50,12\n", "line 2, column 8: a quote is missing", nil},
		"no number": {
			"name,plan\na,b\n",
			`recognized as the service number: name it with --map serviceID=HEADER; the list has "name", "plan"`, nil,
		},
		"a plan alone": {
			"service id,plan\n1,b\n",
			`no column is recognized as the term, which goes with the plan: name it with --map term=HEADER`, nil,
		},
		"a term alone": {
			"service id,tariff,term\n1,b,1\n",
			`no column is recognized as the plan, which goes with the term: name it with --map plan=HEADER`, nil,
		},
		"two fields": {
			"service,plan,term\n1,a,1\n",
			`the column "service" can be the field name or the field serviceID: say which with ` +
				"--map name=service or --map serviceID=service", nil,
		},
		"two columns": {
			"Service no.,service id\n1,2\n",
			`the columns "Service no." and "service id" can both be the field serviceID: say which with ` +
				"--map serviceID='Service no.' or --map serviceID='service id'", nil,
		},
		"two vague columns": {
			"name,service,id\na,1,2\n", `the columns "service" and "id" can both be the field serviceID`, nil,
		},
		"two of one name": {
			"service id,tariff,Tariff\n1,a,b\n", `several columns "tariff"`, map[string]string{"plan": "tariff"},
		},
		"no such column": {
			"service id\n1\n", `the list has no column "tariff"; it has "service id"`, map[string]string{"plan": "tariff"},
		},
		"no such field": {
			"service id\n1\n", `there is no field "Plan"; the fields are name, serviceID, plan`,
			map[string]string{"Plan": "service id"},
		},
		"one column of two": {
			"service id,x\n1,2\n", `the column "x" is mapped to both name and plan`, map[string]string{"name": "x", "plan": "x"},
		},
		"several separators":  {"service id;plan (old, new)\n1;2\n", `--separator "," or --separator ";"`, nil},
		"more than one fleet": {"service id\n" + strings.Repeat("1\n", imports.MaxRows+1), "more than 100000 services", nil},
	} {
		_, err := imports.Read([]byte(row.list), imports.Options{Columns: row.mapped})
		if !mentions(err, row.want) || mentions(err, "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A column is a field if it can be no other one.
func TestAColumnIsTheOnlyFieldThatIsLeft(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"name,service", "service,service id", "id,Service No.", "site,ID"} {
		text, err := imported(t, header+"\na,7\n", imports.Options{})
		if err != nil {
			t.Errorf("%s: %v", header, err)
		}
		expectAll(t, text, "name: a\n", `serviceID: "7"`)
	}
	mapped := imports.Options{Columns: map[string]string{"plan": "product"}}
	text, err := imported(t, "id,site,plan,product,months\n7,a,wrong,Home 50/20,12\n", mapped)
	if err != nil {
		t.Error(err)
	}
	expectAll(t, text, "name: Home 50/20")
}

// Everything that keeps a row from being imported is found at once, each with its line.
func TestEveryMistakeOfAListIsFound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 254)
	for _, row := range []struct{ cells, want string }{
		{"a,,Home,12,,", "there is no service number"},
		{"a,1.2E+06,Home,12,,", `"1.2E+06" is a number that a spreadsheet has shortened`},
		{`a,"9,007E+15",Home,12,,`, "a spreadsheet has shortened"},
		{"a,1001.0,Home,12,,", "write only its digits"},
		{"a,'1001,Home,12,,", "write only its digits"},
		{`a,"1,001",Home,12,,`, "write only its digits"},
		{"a,１００１,Home,12,,", "write only its digits"},
		{"a,-5,Home,12,,", "write only its digits"},
		{"a,0,Home,12,,", `spec.serviceID: Invalid value: "0": a carrier id must be`},
		{"a,9223372036854775808,Home,12,,", "spec.serviceID: Invalid value"},
		{"a,12345678901234567890,Home,12,,", "from 1 to 9223372036854775807"},
		{"a,1001,Home,,,", `plan and term go together: plan "Home", term ""`},
		{"a,1001,,12,,", "plan and term go together"},
		{"a,1001,Home,12.0,,", `the term "12.0" is not a number of months, such as 12`},
		{"a,1001,Home,0,,", "spec.plan.term: Invalid value: 0"},
		{"a,1001,Home,121,,", "spec.plan.term: Invalid value: 121"},
		{"a,1001," + long + ",12,,", "spec.plan.name: Too long"},
		{"a,1001,Home\u200b50/20,12,,", `plan "Home\u200b50/20" has a character that cannot be seen`},
		{"a,1001,Home\u00a050/20,12,,", `plan "Home\u00a050/20" has a character that cannot be seen`},
		{"a,1001,\"Home\n50/20\",12,,", "cannot be seen"},
		{"a,1001,Home,12,PPPoE,", `spec.aggregationMethod: Unsupported value: "PPPoE": supported values: "L2TP", "ETHERNET"`},
		{"a,1001,Home,12,,stable", `spec.dslStabilityProfile: Unsupported value: "stable"`},
		{"北,1001,Home,12,,", `the name "北" has no letter`},
		{long + ",1001,Home,12,,", "the name has 254 characters, and Kubernetes takes 253"},
		{"a,1001,Home,12,", "5 cells, and the header has 6"},
		{"Site 14, North,1001,Home,12,,", "7 cells, and the header has 6"},
		{"Über,00500,Home,12,,", "service 500 is in line 2 too"},
		{"first,1001,Home,12,,", "name first is in line 2 too"},
	} {
		list := "name,service id,plan,term,aggregation,dsl\nFirst!,500,Home,12,,\n" + row.cells + "\n"
		_, err := imported(t, list, imports.Options{})
		expectMistake(t, err, 3, row.want)
	}
}

func TestTheScreenShowsTwentyMistakesInTheOrderOfTheirLines(t *testing.T) {
	t.Parallel()
	list := "service id\n" + strings.Repeat("x\n1,2\n", 15)
	_, err := imported(t, list, imports.Options{})
	mistakes, is := errors.AsType[imports.LineErrors](err)
	if !is || len(mistakes.Lines()) != 30 || strings.Count(err.Error(), "\n") != 20 {
		t.Fatal(err)
	}
	expectAll(t, err.Error(), "\nand 10 more: --errors FILE writes all of them into a file")
	for at, line := range mistakes.Lines() {
		if !strings.HasPrefix(line, fmt.Sprintf("line %d: ", at+2)) {
			t.Error(at, line)
		}
	}
}

func TestNamesAreValidAndSoAreThoseOfFiles(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("n", 253)
	list := "name,service id\n\"Site 14, Zürich\",1\n,002\n" + longest + ",3\n" + longest[1:] + "m,4\n"
	read, err := imports.Read([]byte(list), imports.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := read.Manifests(t.Context(), target, rules(t))
	if err != nil {
		t.Fatal(err)
	}
	expectAll(t, made[0].FileName()+made[1].FileName(), "site-14-zurich.yaml", "service-2.yaml")
	text, err := made[2].Text()
	if err != nil {
		t.Error(err)
	}
	expectAll(t, string(text), "name: "+longest+"\n") // the name of the object is not shortened
	if a, b := made[2].FileName(), made[3].FileName(); len(a) != 255 || len(b) != 255 || a == b {
		t.Error(a, b)
	}
}

func TestAnAccountThatCannotExistIsRefused(t *testing.T) {
	t.Parallel()
	_, err := imports.Numbers([]string{"7"}).Manifests(t.Context(), imports.Target{Account: "My account"}, rules(t))
	if !mentions(err, `"My account" cannot be the name of a CarrierAccount`) {
		t.Fatal(err)
	}
}

// A definition that cannot be read would let everything through.
func TestRulesNeedADefinition(t *testing.T) {
	t.Parallel()
	if _, err := imports.NewRules([]byte("kind: 7\nno: field\n")); err == nil {
		t.Fatal("this has rules")
	}
}
