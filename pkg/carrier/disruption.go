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

// DisruptionStatus is the status of a disruption; other values survive.
type DisruptionStatus string

// The statuses, which are also what a query can ask for (spec §4).
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

// DisruptionQuery chooses among the disruptions of a service (spec §4, Service disruptions). With a
// service id alone it asks for all of them, newest first.
type DisruptionQuery struct {
	ServiceID int64              // required
	Statuses  []DisruptionStatus // empty: all
	Size      int                // of a page; zero: the carrier's default, 20
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

// maxDisruptionPages bounds one walk: 100 pages of one service are more than any person reads.
const maxDisruptionPages = 100

// DisruptionPage reads one page, the first of which has the number zero. The error is an [Error].
func (c *Client) DisruptionPage(ctx context.Context, query DisruptionQuery, number int) (DisruptionPage, error) {
	k := call{
		method: http.MethodGet, path: fmt.Sprintf("/api/connect/services/%d/disruptions", query.ServiceID),
		query: query.values(number), version: c.version,
	}
	if query.ServiceID <= 0 || number < 0 {
		return DisruptionPage{}, noService(k)
	}
	a, err := c.get(ctx, k)
	switch {
	case err != nil:
		return DisruptionPage{}, err
	case a.status != http.StatusOK:
		c.learn(Contract{}, k, a)
		return DisruptionPage{}, c.failureOf(k, a, "")
	case a.bodyErr != nil:
		return DisruptionPage{}, unreadable(k, a.bodyErr)
	}
	return DecodeDisruptions(a.body)
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

// RateError ends a walk that the account's rate does not allow to go on now. This package never
// sleeps.
type RateError struct {
	Wait time.Duration // come back after it
}

// Error says how long to wait.
func (e *RateError) Error() string { return "the account's rate allows no call for " + e.Wait.String() }

// Disruptions walks over the disruptions of a service, page by page and each page within the
// account's rate, until the last page or 100 of them. Pages shift while they are read; what was
// seen before is left out. The walk ends with the first error: an [Error], a [RateError], or that
// of the token source.
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

// yieldNew passes on what was not seen on an earlier page, and tells whether more is wanted.
func (p DisruptionPage) yieldNew(seen map[string]bool, yield func(Disruption, error) bool) bool {
	for _, found := range p.Content {
		id := found.WholesaleDisruptionID
		if seen[id] {
			continue
		}
		if !yield(found, nil) {
			return false
		}
		seen[id] = id != "" // without an id it is never the same one
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

// IsLast tells whether a page, read as the one of that number, ends the walk. It believes
// whichever says so: the flag, the count, or an empty page.
func (p DisruptionPage) IsLast(number int) bool {
	return p.LastPage || len(p.Content) == 0 || p.TotalPages > 0 && number+1 >= p.TotalPages
}
