package carrier

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
)

// DisruptionStatus is the status of a disruption; other values are kept.
type DisruptionStatus string

// The statuses, which a query can also filter by (spec §4).
const (
	DisruptionActive    DisruptionStatus = "ACTIVE"
	DisruptionScheduled DisruptionStatus = "SCHEDULED"
	DisruptionCompleted DisruptionStatus = "COMPLETED"
)

// Disruption is an outage or a maintenance of a service (spec §2).
type Disruption struct {
	Type                  string           `json:"type"` // scheduled or unscheduled
	MaintenanceStartAt    Timestamp        `json:"maintenanceStartAt"`
	MaintenanceEndAt      Timestamp        `json:"maintenanceEndAt"` // empty for unscheduled ones
	WholesaleDisruptionID string           `json:"wholesaleDisruptionId"`
	Description           string           `json:"description"` // free text
	Severity              string           `json:"severity"`
	Category              string           `json:"category"`
	Status                DisruptionStatus `json:"status"`
}

// DisruptionQuery selects disruptions of a service (spec §4, Service disruptions). With only a
// service id it selects all of them, newest first.
type DisruptionQuery struct {
	ServiceID int64              // required
	Statuses  []DisruptionStatus // empty: all
	Size      int                // page size; zero: the carrier's default, 20
	Sort      string             // such as maintenanceStartAt,ASC; empty: the carrier's default, maintenanceStartAt,DESC
}

// DisruptionPage is one page of disruptions (spec §2).
type DisruptionPage struct {
	Content         []Disruption     `json:"content"`
	TotalPages      int              `json:"totalPages"`
	CurrentPageSize int              `json:"currentPageSize"`
	TotalElements   int              `json:"totalElements"`
	Size            int              `json:"size"`
	Number          int              `json:"number"` // zero-based
	Sort            []DisruptionSort `json:"sort"`
	FirstPage       bool             `json:"firstPage"`
	LastPage        bool             `json:"lastPage"`
}

// DisruptionSort is how a page is sorted.
type DisruptionSort struct {
	Direction    string `json:"direction"`
	Property     string `json:"property"`
	IgnoreCase   bool   `json:"ignoreCase"`
	NullHandling string `json:"nullHandling"`
	Ascending    bool   `json:"ascending"`
	Descending   bool   `json:"descending"`
}

// DisruptionPage reads one page. The first page has the number zero. The error is an [Error].
func (c *Client) DisruptionPage(ctx context.Context, query DisruptionQuery, number int) (DisruptionPage, error) {
	k := call{
		reads:  DisruptionsRead,
		method: http.MethodGet, path: fmt.Sprintf("/api/connect/services/%d/disruptions", query.ServiceID),
		query: query.values(number), version: c.version,
	}
	if query.ServiceID <= 0 || number < 0 {
		return DisruptionPage{}, invalidServiceID(k)
	}
	return readResource[DisruptionPage](ctx, c, k)
}

func (q DisruptionQuery) values(number int) url.Values {
	values := url.Values{"page": {strconv.Itoa(number)}}
	for _, status := range q.Statuses {
		values.Add("status", string(status))
	}
	if q.Size > 0 {
		values.Set("size", strconv.Itoa(q.Size))
	}
	if q.Sort != "" {
		values.Set("sort", q.Sort)
	}
	return values
}

// IsLast reports whether the page with the given number is the last. The flag, the page count
// or an empty page is sufficient proof.
func (p DisruptionPage) IsLast(number int) bool {
	return p.LastPage || len(p.Content) == 0 || p.TotalPages > 0 && number+1 >= p.TotalPages
}
