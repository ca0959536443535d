// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/broadband-operator/broadband-operator/api/v1alpha1"
)

// customization is the prefix of the keys in argocd-cm; group and kind are the suffix.
const customization = "resource.customizations."

// actions is the value of a kind's key in Argo CD's format.
type actions struct {
	Discovery   string       `json:"discovery.lua"`
	Definitions []definition `json:"definitions"`
}

type definition struct {
	Name   string `json:"name"`
	Action string `json:"action.lua"`
}

// configMap returns argocd-cm with the scripts.
func configMap(scripts []script) (string, error) {
	data, offered := map[string]string{}, map[string]*actions{}
	for _, script := range scripts {
		switch script.file {
		case healthFile:
			data[key("health", script.kind)] = script.text
		case discoveryFile:
			offered[script.kind] = &actions{Discovery: script.text}
		case actionFile:
			held := offered[script.kind]
			held.Definitions = append(held.Definitions, definition{Name: script.action, Action: script.text})
		}
	}
	for kind, held := range offered {
		text, err := yaml.Marshal(held)
		if err != nil {
			return "", fmt.Errorf("write the actions of %s: %w", kind, err)
		}
		data[key("actions", kind)] = string(text)
	}
	text, err := yaml.Marshal(&corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "argocd-cm", Labels: map[string]string{"app.kubernetes.io/part-of": "argocd"}},
		Data:       data,
	})
	if err != nil {
		return "", fmt.Errorf("write argocd-cm: %w", err)
	}
	return "# Written by make argocd: change config/argocd/lua.\n" + string(text), nil
}

func key(what, kind string) string {
	return customization + what + "." + v1alpha1.GroupVersion.Group + "_" + kind
}
