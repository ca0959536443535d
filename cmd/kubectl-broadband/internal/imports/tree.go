// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

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
