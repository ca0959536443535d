package carrier

import "bytes"

// rewrite walks over a document once, string by string, and copies it with the identifiers changed.
// It needs no valid JSON: what it does not understand is copied. A body without the word is
// returned as it is.
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

// rewriter is one walk over one document.
type rewriter struct {
	in, out []byte
	at      int
	words   *substitution
	key     []byte   // the key whose value comes next
	around  [][]byte // the keys of the objects and arrays around it
	deeper  int      // how many more are around it than are remembered
}

// maxNesting is how many keys are remembered: no document of the carrier is half as deep.
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
	if len(w.around) == maxNesting {
		w.deeper++
		return
	}
	w.around = append(w.around, w.key)
}

func (w *rewriter) leave() {
	if w.deeper > 0 {
		w.deeper--
		return
	}
	if n := len(w.around); n > 0 {
		w.key, w.around = w.around[n-1], w.around[:n-1]
	}
}

// next goes back to the key of the object or array around: the elements of an array are all under
// the array's key. Where that is no longer remembered there is none, and so no enumeration.
func (w *rewriter) next() {
	w.key = nil
	if n := len(w.around); n > 0 && w.deeper == 0 {
		w.key = w.around[n-1]
	}
}

// inFee tells whether the current place is inside a fee, where a name is one of an enumeration.
// Elsewhere, of a plan or a product, it is the carrier's free choice.
func (w *rewriter) inFee() bool {
	for _, key := range w.around {
		if string(key) == "fee" || string(key) == "fees" || bytes.HasSuffix(key, []byte("Fee")) {
			return true
		}
	}
	return false
}

// text copies one string: a key when a colon follows it, and otherwise a value.
func (w *rewriter) text() {
	start := w.at
	w.at = w.endOfText()
	if w.at-start < 2 || w.in[w.at-1] != '"' { // cut off
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

// endOfText returns where the string at the current place ends, at the latest at the end of the
// document.
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

// beforeColon tells whether the next thing is a colon.
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
