// SPDX-License-Identifier: Apache-2.0

package operate

// Forget drops what this process has seen of a ledger that was let go: a new one of its name has lost
// nothing.
func (l *Ledgers) Forget(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seen, name)
	delete(l.writes, name)
}
