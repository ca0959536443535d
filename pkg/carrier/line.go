package carrier

import (
	"slices"
	"time"
)

const (
	// longestWait is the maximum wait of a caller for the callers before it. Some of them may
	// never come back: a deleted object does not leave its line.
	longestWait = 30 * time.Second

	// patience is how late a caller may come back before it loses its place.
	patience = 10 * time.Second
)

// line has the callers of one kind that wait for a token, in order of arrival. Without a line, all
// would try again as soon as a token may be available: a thousand objects would be reconciled for
// each call, and an object that is always a moment late would never get a token.
type line []waiting

type waiting struct {
	caller string
	due    time.Time // when it comes back
}

// before returns how many callers have come before this one and still wait.
func (l *line) before(caller string, now time.Time) int {
	*l = slices.DeleteFunc(*l, func(w waiting) bool { return w.caller != caller && now.Sub(w.due) > patience })
	if place := l.place(caller); place >= 0 {
		return place
	}
	return len(*l)
}

// wait lets a caller wait in its place; at the end if it has none.
func (l *line) wait(caller string, due time.Time) {
	if place := l.place(caller); place >= 0 {
		(*l)[place].due = due
		return
	}
	*l = append(*l, waiting{caller, due})
}

func (l *line) leave(caller string) {
	if place := l.place(caller); place >= 0 {
		*l = slices.Delete(*l, place, place+1)
	}
}

func (l *line) place(caller string) int {
	return slices.IndexFunc(*l, func(w waiting) bool { return w.caller == caller })
}
