package simulator

import "time"

// expiring is a map whose values expire. Expired values are removed some time later.
type expiring[V any] struct {
	Entries map[string]expiringEntry[V] `json:"entries"`
	SweepAt int                         `json:"sweepAt"`
}

type expiringEntry[V any] struct {
	Value   V         `json:"value"`
	Expires time.Time `json:"expires"`
}

// get returns the value of a key if it has not expired.
func (e *expiring[V]) get(key string, now time.Time) (V, bool) {
	entry, found := e.Entries[key]
	if !found || !now.Before(entry.Expires) {
		var none V
		return none, false
	}
	return entry.Value, true
}

// put stores a value. It removes expired values whenever the map has doubled since the last
// removal, so the average cost of put is constant.
func (e *expiring[V]) put(key string, value V, now, expires time.Time) {
	const minSweep = 1024
	if len(e.Entries) >= e.SweepAt {
		for k, entry := range e.Entries {
			if !now.Before(entry.Expires) {
				delete(e.Entries, k)
			}
		}
		e.SweepAt = max(minSweep, 2*len(e.Entries))
	}
	if e.Entries == nil {
		e.Entries = make(map[string]expiringEntry[V])
	}
	e.Entries[key] = expiringEntry[V]{Value: value, Expires: expires}
}
