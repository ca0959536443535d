package identifier

import (
	"bytes"
	"slices"
)

// rewrite copies a document in one pass and replaces the word in identifiers. The body need not be
// valid JSON: anything unrecognized is copied. A body without the word is returned unchanged.
func rewrite(body []byte, words *substitution) []byte {
	if words == nil || !words.occursIn(body) {
		return body
	}
	w := rewriter{in: body, out: make([]byte, 0, len(body)+len(body)/8), words: words}
	for w.at < len(w.in) {
		w.step()
	}
	return w.out
}

// rewriter is one pass over one document.
type rewriter struct {
	in, out     []byte
	at          int
	words       *substitution
	key         []byte   // the key of the next value
	enclosing   [][]byte // the keys of the enclosing objects and arrays
	excessDepth int      // number of enclosing levels beyond maxNesting, which are not stored
}

// maxNesting is the maximum number of stored keys. The carrier's documents are less than half as
// deep.
const maxNesting = 64

// step copies one string, or one other byte.
func (w *rewriter) step() {
	switch w.in[w.at] {
	case '"':
		w.text()
		return
	case '{', '[':
		w.enter()
	case '}', ']':
		w.leave()
	case ',':
		w.next()
	}
	w.out = append(w.out, w.in[w.at])
	w.at++
}

func (w *rewriter) enter() {
	if len(w.enclosing) == maxNesting {
		w.excessDepth++
		return
	}
	w.enclosing = append(w.enclosing, w.key)
}

func (w *rewriter) leave() {
	if w.excessDepth > 0 {
		w.excessDepth--
		return
	}
	if n := len(w.enclosing); n > 0 {
		w.key, w.enclosing = w.enclosing[n-1], w.enclosing[:n-1]
	}
}

// next restores the key of the enclosing object or array, because all elements of an array are
// under its key. Beyond maxNesting there is no key, so no value counts as an enumeration.
func (w *rewriter) next() {
	w.key = nil
	if n := len(w.enclosing); n > 0 && w.excessDepth == 0 {
		w.key = w.enclosing[n-1]
	}
}

// inFee reports whether the current position is inside a fee, where a name is an enumeration.
// Elsewhere, as in a plan or a product, a name is free text.
func (w *rewriter) inFee() bool { return slices.ContainsFunc(w.enclosing, isFee) }

func isFee(key []byte) bool {
	return string(key) == "fee" || string(key) == "fees" || bytes.HasSuffix(key, []byte("Fee"))
}

// text copies one string: a key if a colon follows it, otherwise a value.
func (w *rewriter) text() {
	start := w.at
	w.at = w.endOfText()
	if w.at-start < 2 || w.in[w.at-1] != '"' { // truncated
		w.out = append(w.out, w.in[start:w.at]...)
		return
	}
	content := w.in[start+1 : w.at-1]
	w.out = append(w.out, '"')
	switch {
	case w.beforeColon():
		w.key = content
		w.out = w.words.appendKey(w.out, content)
	case string(w.key) == keyName && !w.inFee():
		w.out = append(w.out, content...)
	default:
		w.out = w.words.appendValue(w.out, w.key, content)
	}
	w.out = append(w.out, '"')
}

// endOfText returns where the string at the current position ends, or the end of the document.
func (w *rewriter) endOfText() int {
	for at := w.at + 1; at < len(w.in); at++ {
		switch w.in[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(w.in)
}

// beforeColon reports whether a colon comes next.
func (w *rewriter) beforeColon() bool {
	for _, c := range w.in[w.at:] {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c == ':'
		}
	}
	return false
}
