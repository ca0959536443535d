package carrier

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
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

// DecodeDisruptions reads one page. The error is an [Error] of class Unreadable.
func DecodeDisruptions(body []byte) (DisruptionPage, error) { return decode[DisruptionPage]("", body) }

// maxDisruptionPages limits one iteration, because nobody reads more than 100 pages about one
// service.
const maxDisruptionPages = 100

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
	resp, err := c.read(ctx, k, http.StatusOK)
	if err != nil {
		return DisruptionPage{}, err
	}
	return DecodeDisruptions(resp.body)
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

// RateError ends an iteration if the account's rate limit allows no call now. This package never
// sleeps.
type RateError struct {
	Wait time.Duration // how long to wait before the next try
}

// Error states how long to wait.
func (e *RateError) Error() string { return "the rate limit allows no call for " + e.Wait.String() }

// Disruptions iterates over the disruptions of a service, up to the last page or 100 pages. Every
// page counts towards the account's rate limit. Pages may shift during the iteration, so duplicates
// are skipped. The iteration ends at the first error: an [Error], a [RateError], or that of the
// token source.
func (c *Client) Disruptions(ctx context.Context, query DisruptionQuery) iter.Seq2[Disruption, error] {
	return func(yield func(Disruption, error) bool) {
		seen := make(map[string]bool)
		for number := range maxDisruptionPages {
			page, err := c.nextDisruptions(ctx, query, number)
			if err != nil {
				yield(Disruption{}, err)
				return
			}
			if !page.yieldNew(seen, yield) || page.IsLast(number) {
				return
			}
		}
	}
}

// yieldNew yields the disruptions that no earlier page had, and reports whether to continue.
func (p DisruptionPage) yieldNew(seen map[string]bool, yield func(Disruption, error) bool) bool {
	for _, found := range p.Content {
		id := found.WholesaleDisruptionID
		if seen[id] {
			continue
		}
		if !yield(found, nil) {
			return false
		}
		seen[id] = id != "" // entries without an id are never duplicates
	}
	return true
}

func (c *Client) nextDisruptions(ctx context.Context, query DisruptionQuery, number int) (DisruptionPage, error) {
	wait, err := c.Prepare(ctx, CallPoll)
	switch {
	case err != nil:
		return DisruptionPage{}, err
	case wait > 0:
		return DisruptionPage{}, &RateError{Wait: wait}
	}
	return c.DisruptionPage(ctx, query, number)
}

// IsLast reports whether the page with the given number is the last. The flag, the page count or an
// empty page is enough to know.
func (p DisruptionPage) IsLast(number int) bool {
	return p.LastPage || len(p.Content) == 0 || p.TotalPages > 0 && number+1 >= p.TotalPages
}
