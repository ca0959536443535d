package simulator

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/problem"
	"github.com/broadband-operator/broadband-operator/pkg/carrier/simulator/internal/rewrite"
)

// The states of a disruption (spec §2).
const (
	disruptionScheduled = "SCHEDULED"
	disruptionActive    = "ACTIVE"
	disruptionCompleted = "COMPLETED"
)

// disruptionInfo is the disruption item of spec §2.
type disruptionInfo struct {
	Type                  string  `json:"type"`
	MaintenanceStartAt    string  `json:"maintenanceStartAt"`
	MaintenanceEndAt      *string `json:"maintenanceEndAt"`
	WholesaleDisruptionID string  `json:"wholesaleDisruptionId"`
	Description           string  `json:"description"`
	Severity              string  `json:"severity"`
	Category              string  `json:"category"`
	Status                string  `json:"status"`
}

// disruptionPage is the service disruption page of spec §2.
type disruptionPage struct {
	Content         []disruptionInfo `json:"content"`
	TotalPages      int              `json:"totalPages"`
	CurrentPageSize int              `json:"currentPageSize"`
	TotalElements   int              `json:"totalElements"`
	Size            int              `json:"size"`
	Number          int              `json:"number"`
	Sort            []sortInfo       `json:"sort"`
	FirstPage       bool             `json:"firstPage"`
	LastPage        bool             `json:"lastPage"`
}

// sortInfo describes how a page is sorted.
type sortInfo struct {
	Direction    string `json:"direction"`
	Property     string `json:"property"`
	IgnoreCase   bool   `json:"ignoreCase"`
	NullHandling string `json:"nullHandling"`
	Ascending    bool   `json:"ascending"`
	Descending   bool   `json:"descending"`
}

// pageQuery is the parsed query of spec §4.
type pageQuery struct {
	statuses []string
	page     int
	size     int
	property string
	order    string
}

// listDisruptions is the GET of a service's disruptions (spec §4).
func listDisruptions(x *exchange) (response, error) {
	svc, err := x.serviceInPath()
	if err != nil {
		return response{}, err
	}
	query, err := parsePageQuery(x.request.URL.Query(), x.sim.word)
	if err != nil {
		return response{}, err
	}
	found := query.sort(query.filter(svc.Disruptions, x.now))
	return response{status: http.StatusOK, body: query.slice(found)}, nil
}

// parsePageQuery applies the defaults of spec §8. An invalid parameter is a 400.
func parsePageQuery(values url.Values, word rewrite.Word) (pageQuery, error) {
	const defaultSize, maxSize = 20, 100
	query := pageQuery{statuses: values[statusField], size: defaultSize}
	for _, status := range query.statuses {
		if !slices.Contains([]string{disruptionScheduled, disruptionActive, disruptionCompleted}, status) {
			return query, problem.NotNumeric(statusField)
		}
	}
	var err error
	if query.page, err = queryNumber(values, "page", 0, 0); err != nil {
		return query, err
	}
	if query.size, err = queryNumber(values, "size", defaultSize, 1); err != nil {
		return query, err
	}
	query.size = min(query.size, maxSize)
	err = query.parseSort(word.Key(cmp.Or(values.Get("sort"), "maintenanceStartAt,DESC")))
	return query, err
}

// queryNumber reads a number from the query. The number must be at least the given minimum.
func queryNumber(values url.Values, name string, usual, least int) (int, error) {
	if !values.Has(name) {
		return usual, nil
	}
	number, err := strconv.Atoi(values.Get(name))
	if err != nil || number < least {
		return 0, problem.NotNumeric(name)
	}
	return number, nil
}

// parseSort reads property,DIRECTION. The default direction is ascending.
func (q *pageQuery) parseSort(expression string) error {
	property, direction, _ := strings.Cut(expression, ",")
	q.property, q.order = property, strings.ToUpper(cmp.Or(direction, "ASC"))
	if _, known := sortKeys()[q.property]; !known || q.order != "ASC" && q.order != "DESC" {
		return problem.NotNumeric("sort")
	}
	return nil
}

// sortKeys returns the properties by which a page can be sorted. Times have one format, so they
// sort as texts.
func sortKeys() map[string]func(disruptionInfo) string {
	return map[string]func(disruptionInfo) string{
		"maintenanceStartAt":    func(d disruptionInfo) string { return d.MaintenanceStartAt },
		"maintenanceEndAt":      func(d disruptionInfo) string { return orEmpty(d.MaintenanceEndAt) },
		"type":                  func(d disruptionInfo) string { return d.Type },
		"severity":              func(d disruptionInfo) string { return d.Severity },
		"category":              func(d disruptionInfo) string { return d.Category },
		statusField:             func(d disruptionInfo) string { return d.Status },
		"wholesaleDisruptionId": func(d disruptionInfo) string { return d.WholesaleDisruptionID },
	}
}

// filter returns the disruptions with one of the requested statuses, or all if none is requested.
func (q *pageQuery) filter(all []Disruption, now time.Time) []disruptionInfo {
	found := make([]disruptionInfo, 0, len(all))
	for i := range all {
		info := all[i].info(now)
		if len(q.statuses) == 0 || slices.Contains(q.statuses, info.Status) {
			found = append(found, info)
		}
	}
	return found
}

// sort sorts the disruptions. Equal ones keep the order of the seed.
func (q *pageQuery) sort(found []disruptionInfo) []disruptionInfo {
	key, sign := sortKeys()[q.property], 1
	if q.order == "DESC" {
		sign = -1
	}
	slices.SortStableFunc(found, func(a, b disruptionInfo) int { return sign * cmp.Compare(key(a), key(b)) })
	return found
}

// slice returns one page of the disruptions. A page beyond the last is empty.
func (q *pageQuery) slice(found []disruptionInfo) disruptionPage {
	pages := (len(found) + q.size - 1) / q.size
	content := []disruptionInfo{}
	if q.page < pages {
		from := q.page * q.size
		content = found[from:min(from+q.size, len(found))]
	}
	ascending := q.order == "ASC"
	return disruptionPage{
		Content: content, TotalPages: pages, CurrentPageSize: len(content), TotalElements: len(found),
		Size: q.size, Number: q.page, FirstPage: q.page == 0, LastPage: q.page >= pages-1,
		Sort: []sortInfo{{
			Direction: q.order, Property: q.property, NullHandling: "NATIVE",
			Ascending: ascending, Descending: !ascending,
		}},
	}
}

func (d *Disruption) info(now time.Time) disruptionInfo {
	info := disruptionInfo{
		Type: d.Type, MaintenanceStartAt: timestamp(d.StartAt), WholesaleDisruptionID: d.ID,
		Description: d.Description, Severity: d.Severity, Category: d.Category, Status: d.status(now),
	}
	if d.EndAt != nil {
		info.MaintenanceEndAt = instantOrNull(*d.EndAt)
	}
	return info
}

// status returns the seed's status, or derives it from the times.
func (d *Disruption) status(now time.Time) string {
	switch {
	case d.Status != "":
		return d.Status
	case now.Before(d.StartAt):
		return disruptionScheduled
	case d.EndAt != nil && !now.Before(*d.EndAt):
		return disruptionCompleted
	default:
		return disruptionActive
	}
}
