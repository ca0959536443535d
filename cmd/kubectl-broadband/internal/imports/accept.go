// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Accept returns a file with the carrier's plans in place of the declared ones, and the differences
// that are left. Nothing else in the file changes.
func Accept(text []byte, differences []Difference) ([]byte, []Difference, error) {
	var left []Difference
	for _, difference := range differences {
		documents, err := parse(text)
		if err != nil {
			return nil, nil, err
		}
		changed := withValue(text, difference.valueIn(documents), difference.Carrier)
		if changed == nil {
			left = append(left, difference)
			continue
		}
		text = changed
	}
	return text, left, nil
}

// valueIn returns the value that the carrier's value replaces; nil if there is none.
func (d *Difference) valueIn(documents []*yaml.Node) *yaml.Node {
	_, err := strconv.ParseInt(d.Carrier, 10, 32)
	at := slices.IndexFunc(documents, d.isIn(d.Namespace))
	if at < 0 {
		at = slices.IndexFunc(documents, d.isIn(""))
	}
	if at < 0 || !d.Kind.acceptable() || d.Carrier == "" || d.Field == termField && err != nil {
		return nil
	}
	return lookup(documents[at], append([]string{"spec"}, strings.Split(d.Field, ".")...)...)
}

// isIn reports whether a document is the manifest of the service in a namespace; "": in none.
func (d *Difference) isIn(namespace string) func(document *yaml.Node) bool {
	return func(document *yaml.Node) bool {
		return textAt(document, "kind") == kind && textAt(document, "metadata", "name") == d.Name &&
			textAt(document, "metadata", "namespace") == namespace
	}
}

// The forms of a value in quotes.
var (
	inDouble = regexp.MustCompile(`^"(?:[^"\\]|\\.)*"`)
	inSingle = regexp.MustCompile(`^'(?:[^']|'')*'`)
)

// withValue replaces a scalar with another value, in the same quotes. It returns nil if a person
// has to edit the scalar, for example a block of text or an alias.
func withValue(text []byte, scalar *yaml.Node, value string) []byte {
	if scalar == nil || scalar.Kind != yaml.ScalarNode {
		return nil
	}
	start, found := offsetOf(text, scalar)
	if !found {
		return nil
	}
	present, written := presentText(text[start:], scalar), scalarText(scalar, value)
	if len(present) == 0 || len(written) == 0 {
		return nil
	}
	return slices.Concat(text[:start], written, text[start+len(present):])
}

// presentText returns a scalar as the file has it; nil if it has a form that is not replaced.
func presentText(text []byte, scalar *yaml.Node) []byte {
	switch scalar.Style {
	case yaml.DoubleQuotedStyle:
		return inDouble.Find(text)
	case yaml.SingleQuotedStyle:
		return inSingle.Find(text)
	case 0:
		if bytes.HasPrefix(text, []byte(scalar.Value)) {
			return []byte(scalar.Value)
		}
	case yaml.TaggedStyle, yaml.LiteralStyle, yaml.FoldedStyle, yaml.FlowStyle:
	}
	return nil
}

// offsetOf returns where a node begins, unless the text has line breaks that only YAML counts.
func offsetOf(text []byte, node *yaml.Node) (offset int, found bool) {
	if bytes.ContainsAny(text, "\u0085\u2028\u2029") {
		return 0, false
	}
	start := 0
	for range node.Line - 1 {
		start += bytes.IndexByte(text[start:], '\n') + 1
	}
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	before := []rune(string(line))
	if node.Column-1 > len(before) {
		return 0, false
	}
	return start + len(string(before[:node.Column-1])), true
}

// scalarText writes a value in the style of the scalar, so that it is also valid between braces.
func scalarText(scalar *yaml.Node, value string) []byte {
	key := &yaml.Node{Kind: yaml.ScalarNode, Value: "k"}
	made := &yaml.Node{Kind: yaml.ScalarNode, Tag: scalar.Tag, Value: value, Style: scalar.Style}
	text, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: []*yaml.Node{key, made}})
	if err != nil {
		return nil
	}
	return bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("{k: ")), []byte("}\n"))
}

// parse returns the documents of a file as trees, which keep comments and the order of fields.
func parse(text []byte) ([]*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var documents []*yaml.Node
	for {
		document := &yaml.Node{}
		err := decoder.Decode(document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, fmt.Errorf("this is not YAML: %w", err)
		}
		documents = append(documents, document)
	}
}

func lookup(node *yaml.Node, path ...string) *yaml.Node {
	if node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		node = node.Content[0]
	}
	for _, key := range path {
		if node = valueOf(node, key); node == nil {
			return nil
		}
	}
	return node
}

// valueOf returns the value of a key of a mapping, in which keys and values alternate.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	if mapping.Kind == yaml.AliasNode {
		mapping = mapping.Alias
	}
	if mapping.Kind != yaml.MappingNode {
		return nil
	}
	for at := 0; at+1 < len(mapping.Content); at += 2 {
		if mapping.Content[at].Value == key {
			return mapping.Content[at+1]
		}
	}
	return nil
}

func textAt(node *yaml.Node, path ...string) string {
	if found := lookup(node, path...); found != nil {
		return found.Value
	}
	return ""
}
