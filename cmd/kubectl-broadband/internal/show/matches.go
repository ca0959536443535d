// SPDX-License-Identifier: Apache-2.0

package show

import (
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Matches lays out the objects that were found.
func Matches(text string, matches []*judge.Match) Section {
	if len(matches) == 0 {
		return Section{Lines: []string{"Nothing has \"" + text + "\"; -A searches all namespaces."}}
	}
	rows := table.New("NAMESPACE", "OBJECT", "MATCHES", "VALUE", "READY", "REASON")
	for _, match := range matches {
		rows.Add(match.Namespace, match.Short(), match.Field, match.Value, match.Ready, match.Reason)
	}
	return Section{Table: rows}
}
