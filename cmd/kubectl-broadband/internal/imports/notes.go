// SPDX-License-Identifier: Apache-2.0

package imports

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/broadband-operator/broadband-operator/cmd/kubectl-broadband/internal/judge"
)

// Notes says which columns of the list are not read.
func (l *List) Notes() []string {
	if len(l.Unused) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Not read: %s (--map FIELD=HEADER reads a column as a field).", someOf(l.Unused))}
}

// Notes says how the list differs from the folder.
func (a *Against) Notes() []string {
	var notes []string
	if len(a.Missing) > 0 {
		names := make([]string, 0, len(a.Missing))
		for _, one := range a.Missing {
			names = append(names, one.Service.Name)
		}
		notes = append(notes, fmt.Sprintf("Not in the list, and kept: %s.", someOf(names)))
	}
	if len(a.Changed) > 0 {
		notes = append(notes, "The list has changed since these manifests were written. To take its value, delete the "+
			"manifest and its object,\nwhich contacts nobody, and import again:", a.Changed.Error())
	}
	return notes
}

// AccountLookup is what the cluster says about the account of the services.
type AccountLookup struct {
	Namespace string
	Account   string
	Accounts  []string // those of the namespace
	Known     bool     // the cluster has answered
}

// Missing reports whether the account is known not to exist.
func (l *AccountLookup) Missing() bool { return l.Known && !slices.Contains(l.Accounts, l.Account) }

// Notes says that the account does not exist, or that nobody knows.
func (l *AccountLookup) Notes() []string {
	there := "it has none"
	if len(l.Accounts) > 0 {
		there = "it has " + someOf(l.Accounts)
	}
	switch {
	case !l.Known:
		return []string{fmt.Sprintf("Not checked, because no cluster has answered: whether there is a CarrierAccount %q in "+
			"the namespace %q.", l.Account, l.Namespace)}
	case l.Missing():
		return []string{fmt.Sprintf("There is no CarrierAccount %q in the namespace %q; %s. The services wait until it "+
			"exists.", l.Account, l.Namespace, there)}
	}
	return nil
}

// someOf lists the first of several names, in quotes.
func someOf(names []string) string {
	const shown = 10
	return judge.FirstOf(quotedEach(names), shown)
}

func quotedEach(names []string) []string {
	quoted := make([]string, 0, len(names))
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(name))
	}
	return quoted
}
