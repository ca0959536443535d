// SPDX-License-Identifier: Apache-2.0

package world

import "os"

// Scale selects how much the tests do: the part in `make test`, and the whole in `make test-all`,
// which sets TEST_ALL=1.
func Scale[T any](part, whole T) T {
	if os.Getenv("TEST_ALL") == "1" {
		return whole
	}
	return part
}
