// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"sigs.k8s.io/yaml"
)

// The list, and the command that writes it.
const (
	listFile = "hack/check/layout/limits.yaml"
	toLower  = "run go run ./hack/check/layout -lower"
)

// header begins the list.
const header = `# What "go run ./hack/check/layout" measures. These figures may only fall, and "make verify" fails
# if one is not as it is here. "go run ./hack/check/layout -lower" writes those that have fallen, and those
# of new packages. To raise one, edit this file, and give the reason in the commit. A section that is deleted is
# written again.
#
# files: Go files of a folder. A folder that is not listed has at most 20.
# lines: of each package, and of all, without tests, generated files, test/, hack/ and bench/.
# references against the order: between the files of a package of pkg/decide, if there are any.
# walk files, functions, returns: where the calls of a function lead within its package, and how often they
#   return to a file that they had left.
`

// The sections of the list.
const (
	filesOfFolder  = "files"
	linesOfPackage = "lines"
	againstOrder   = "references against the order"
	walkFiles      = "walk files"
	walkFunctions  = "walk functions"
	walkReturns    = "walk returns"
)

// section is a part of the list: the limits of one kind of figure.
type section struct {
	name string
	noun string // what is counted
	fix  string // what to do about a figure that has risen
	free int    // figures up to this one are not listed
}

// allListed is the value of free in a section that lists every figure.
const allListed = -1

func sections() []section {
	const join = "move what belongs together into one file, or join functions"
	return []section{
		{filesOfFolder, "files", "divide the folder", 20},
		{linesOfPackage, "lines", "make the code shorter", allListed},
		{againstOrder, againstOrder, "move the code to the file that uses it", 0},
		{walkFiles, "files", join, allListed},
		{walkFunctions, "functions", join, allListed},
		{walkReturns, "returns to a file that was left", join, allListed},
	}
}

// figures are the measured numbers by section, and within a section by subject.
type figures map[string]map[string]int

func (f figures) add(to, subject string, figure int) {
	if f[to] == nil {
		f[to] = map[string]int{}
	}
	f[to][subject] += figure
}

// readLimits reads the list. If there is none, nothing has a limit yet.
func readLimits(path string) (figures, error) {
	limits := figures{}
	content, err := os.ReadFile(path) //nolint:gosec // the list of the tree
	if errors.Is(err, fs.ErrNotExist) {
		return limits, nil
	}
	if err == nil {
		err = yaml.UnmarshalStrict(content, &limits)
	}
	if err != nil {
		return nil, fmt.Errorf("read the limits in %s: %w", path, err)
	}
	return limits, nil
}

func (f figures) write(path string) error {
	content, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("write the limits: %w", err)
	}
	//nolint:gosec // others may read it
	if err := os.WriteFile(path, append([]byte(header), content...), 0o644); err != nil {
		return fmt.Errorf("write the limits: %w", err)
	}
	return nil
}

// lowered returns these limits, each lowered to its figure if that is smaller. It adds limits for
// new subjects, and drops those of subjects that are gone.
func (f figures) lowered(measured figures) figures {
	lower := figures{}
	for _, one := range sections() {
		lower[one.name] = one.lowered(f[one.name], measured[one.name])
	}
	return lower
}

func (s section) lowered(limits, measured map[string]int) map[string]int {
	lower := map[string]int{}
	for subject, figure := range measured {
		if limit, is := s.limit(limits, subject); is {
			figure = min(figure, limit)
		}
		if figure > s.free {
			lower[subject] = figure
		}
	}
	return lower
}

// limit returns the limit of a subject, listed or not. A new subject has none.
func (s section) limit(limits map[string]int, subject string) (int, bool) {
	if limit, is := limits[subject]; is {
		return limit, true
	}
	return s.free, limits != nil && s.free != allListed
}

// differences says what to do about each figure that is not the limit.
func (f figures) differences(measured figures) (all []string) {
	for _, one := range sections() {
		limits, found := f[one.name], measured[one.name]
		subjects := slices.Concat(slices.Collect(maps.Keys(limits)), slices.Collect(maps.Keys(found)))
		slices.Sort(subjects)
		for _, subject := range slices.Compact(subjects) {
			if difference := one.difference(subject, limits, found); difference != "" {
				all = append(all, difference)
			}
		}
	}
	return all
}

func (s section) difference(subject string, limits, measured map[string]int) string {
	_, listed := limits[subject]
	limit, limited := s.limit(limits, subject)
	figure, found := measured[subject]
	says := fmt.Sprintf("%s: %d %s", subject, figure, s.noun)
	switch {
	case !limited && figure > s.free:
		return says + ", and no limit: " + toLower
	case limited && figure > limit:
		return fmt.Sprintf("%s, at most %d: %s, or raise the limit in %s and give the reason in the commit",
			says, limit, s.fix, listFile)
	case listed && (figure < limit || !found):
		return fmt.Sprintf("%s, fewer than the limit of %d: %s", says, limit, toLower)
	}
	return ""
}
