// SPDX-License-Identifier: Apache-2.0

package judge

import "strings"

// Redacted replaces what a support case must not contain.
const Redacted = "REDACTED"

// Redact removes from an object what a support case must not contain: contacts, addresses, the
// unguessable path of notifications, and the copy of the manifest in its annotations. It returns
// the texts that it removed.
func Redact(object map[string]any) (removed []string) {
	for name, value := range object {
		switch {
		case isPersonal(name):
			removed = append(removed, textsOf(value)...)
			object[name] = Redacted
		case name == "managedFields", name == "kubectl.kubernetes.io/last-applied-configuration":
			delete(object, name)
		default:
			removed = append(removed, redactValue(value)...)
		}
	}
	return removed
}

func redactValue(value any) (removed []string) {
	switch value := value.(type) {
	case map[string]any:
		return Redact(value)
	case []any:
		for _, one := range value {
			removed = append(removed, redactValue(one)...)
		}
	}
	return removed
}

// isPersonal reports whether a field holds data about a person or a secret of the account.
func isPersonal(name string) bool {
	switch name {
	case "contact", "contacts", "phone", "email", "address", "eventsPath", "token", "password":
		return true
	}
	return false
}

func textsOf(value any) []string {
	switch value := value.(type) {
	case string:
		return []string{value}
	case map[string]any:
		var texts []string
		for _, one := range value {
			texts = append(texts, textsOf(one)...)
		}
		return texts
	case []any:
		var texts []string
		for _, one := range value {
			texts = append(texts, textsOf(one)...)
		}
		return texts
	}
	return nil
}

// Scrub replaces removed texts wherever else they appear: the carrier may have repeated them.
func Scrub(text string, removed []string) string {
	const shortest = 4 // a shorter text may occur anywhere by chance
	for _, one := range removed {
		if len(one) >= shortest {
			text = strings.ReplaceAll(text, one, Redacted)
		}
	}
	return text
}
