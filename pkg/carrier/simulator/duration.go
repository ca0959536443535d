package simulator

import (
	"encoding/json"
	"fmt"
	"time"
)

// Duration is a [time.Duration] in Go's format, such as 1m30s.
type Duration time.Duration

// UnmarshalJSON reads the format of [time.ParseDuration].
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("a duration is a text such as 5s: %w", err)
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("read duration: %w", err)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalJSON writes the format that UnmarshalJSON reads.
func (d Duration) MarshalJSON() ([]byte, error) {
	return []byte(`"` + time.Duration(d).String() + `"`), nil
}

// delay returns how long a request takes. serviceID is 0 for a request about no service.
func (s *Simulator) delay(operation Operation, serviceID int64) time.Duration {
	if s.options.Duration != nil {
		return s.options.Duration(operation, serviceID)
	}
	delay, known := s.options.Seed.Delays[string(operation)]
	if !known {
		delay, known = s.options.Seed.Delays[defaultDelayKey]
	}
	if !known {
		delay = Duration(defaultDelay)
	}
	return time.Duration(float64(s.hostile.delay(time.Duration(delay))) / s.options.Speed)
}
