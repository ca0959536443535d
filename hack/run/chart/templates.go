// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

const notice = "# Generated from config/default by hack/run/chart: make manifests.\n"

// file returns the template that has the objects of a kind.
func file(kind string) string {
	switch kind {
	case "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding":
		return "rbac.yaml"
	case "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding":
		return "policies.yaml"
	case "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding":
		return "usernames.yaml"
	case "CustomResourceDefinition":
		return "crds.yaml"
	default:
		return strings.ToLower(kind) + ".yaml"
	}
}

// makeTemplates returns the templates by the names of their files.
func makeTemplates(objects []object, patches []patch) (map[string]string, error) {
	templates := map[string]string{}
	for _, one := range objects {
		moveNamespace(&one)
		if err := apply(patches, &one); err != nil {
			return nil, err
		}
		text, err := yaml.Marshal(one.Object)
		if err != nil {
			return nil, fmt.Errorf("encode %s: %w", one.id(), err)
		}
		name := file(one.GetKind())
		if templates[name] == "" {
			templates[name] = notice
		}
		expanded := expand(string(text))
		if special.MatchString(expanded) {
			return nil, fmt.Errorf("an expression in %s is not a whole value on one line", one.id())
		}
		templates[name] += one.before + "---\n" + expanded + one.after
	}
	return templates, nil
}

var (
	// quoted is an expression that YAML quotes.
	quoted = regexp.MustCompile(`'(\{\{(?:[^']|'')*\}\})'`)
	// special is a line with one of our own expressions. Its groups are the indentation, the field,
	// the expression and its value.
	special = regexp.MustCompile(`(?m)^( *)(.*?)\{\{ (block|optional|items) (.*) \}\}$`)
)

// expand turns a manifest with expressions into a template.
func expand(manifest string) string {
	manifest = quoted.ReplaceAllStringFunc(manifest, func(found string) string {
		return strings.ReplaceAll(found[1:len(found)-1], "''", "'")
	})
	return special.ReplaceAllStringFunc(manifest, func(line string) string {
		parts := special.FindStringSubmatch(line)
		indent, field, which, value := parts[1], strings.TrimSpace(parts[2]), parts[3], parts[4]
		switch which {
		case "items":
			return with(indent, value, indent+toYAML(".", len(indent)))
		case "optional":
			return with(indent, value, indent+field+toYAML(".", len(indent)+2))
		default:
			return indent + field + toYAML("("+value+")", len(indent)+2)
		}
	})
}

func with(indent, value, text string) string {
	return indent + "{{- with " + value + " }}\n" + text + "\n" + indent + "{{- end }}"
}

// toYAML is a value as YAML, on lines of its own.
func toYAML(value string, indent int) string {
	return fmt.Sprintf("{{- toYaml %s | nindent %d }}", value, indent)
}
