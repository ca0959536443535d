package carrier

import (
	"context"
	"fmt"
	"net/http"
)

// maxTestTypes limits the test types of one response. Further ones are ignored.
const maxTestTypes = 100

// offeredTests is the response to a read of the test types.
type offeredTests struct {
	TestTypes []string `json:"testTypes"`
}

// TestTypes lists the diagnostic tests that the carrier offers for a service. It is a plain GET, at
// the client's own version. The specification does not have this call, so an account has to enable
// it as the extension TestTypes. The error is an [Error]; its class is Unreadable if the response
// names no test.
func (c *Client) TestTypes(ctx context.Context, serviceID int64) ([]string, error) {
	k := call{
		reads:  TestTypesRead,
		method: http.MethodGet, path: fmt.Sprintf("/api/connect/services/%d/diagnostic-tests/options", serviceID),
		version: c.version,
	}
	if serviceID <= 0 {
		return nil, invalidServiceID(k)
	}
	offered, err := readResource[offeredTests](ctx, c, k)
	switch {
	case err != nil:
		return nil, err
	case len(offered.TestTypes) == 0:
		return nil, unreadable(k, errNoTestTypes)
	}
	return offered.TestTypes[:min(len(offered.TestTypes), maxTestTypes)], nil
}
