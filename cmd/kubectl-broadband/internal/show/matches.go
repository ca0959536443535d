// SPDX-License-Identifier: Apache-2.0

package show

import (
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/table"
)

// Matches lays out the objects that were found.
func Matches(matches []*judge.Match) Section {
	rows := table.New("NAMESPACE", "OBJECT", "MATCHES", "VALUE", "READY", "REASON")
	for _, match := range matches {
		rows.Add(match.Namespace, match.Short(), match.Field, match.Value, match.Ready, match.Reason)
	}
	return Section{Table: rows}
}
