package simulator

import "time"

// expiring is a map whose values expire. Expired values are removed some time later.
type expiring[V any] struct {
	entries map[string]expiringEntry[V]
	sweepAt int
}

type expiringEntry[V any] struct {
	value   V
	expires time.Time
}

// get returns the value of a key if it has not expired.
func (e *expiring[V]) get(key string, now time.Time) (V, bool) {
	entry, found := e.entries[key]
	if !found || !now.Before(entry.expires) {
		var none V
		return none, false
	}
	return entry.value, true
}

// put stores a value. It removes expired values whenever the map has doubled since the last
// removal, so the average cost of put is constant.
func (e *expiring[V]) put(key string, value V, now, expires time.Time) {
	const minSweep = 1024
	if len(e.entries) >= e.sweepAt {
		for k, entry := range e.entries {
			if !now.Before(entry.expires) {
				delete(e.entries, k)
			}
		}
		e.sweepAt = max(minSweep, 2*len(e.entries))
	}
	if e.entries == nil {
		e.entries = make(map[string]expiringEntry[V])
	}
	e.entries[key] = expiringEntry[V]{value: value, expires: expires}
}
