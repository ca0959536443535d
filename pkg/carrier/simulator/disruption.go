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
	if !slices.Contains(sortKeys(), q.property) || q.order != "ASC" && q.order != "DESC" {
		return problem.NotNumeric("sort")
	}
	return nil
}

// sortKeys are the properties by which a page can be sorted. Times have one format, so they sort as
// texts.
func sortKeys() []string {
	return []string{
		"maintenanceStartAt", "maintenanceEndAt", "type", "severity", "category", statusField, "wholesaleDisruptionId",
	}
}

// filter returns the disruptions with one of the requested statuses, or all if none is requested.
func (q *pageQuery) filter(all []Disruption, now time.Time) []resource {
	found := make([]resource, 0, len(all))
	for i := range all {
		if len(q.statuses) == 0 || slices.Contains(q.statuses, all[i].status(now)) {
			found = append(found, all[i].shown(now))
		}
	}
	return found
}

// sort sorts the disruptions. Equal ones keep the order of the seed.
func (q *pageQuery) sort(found []resource) []resource {
	sign := 1
	if q.order == "DESC" {
		sign = -1
	}
	slices.SortStableFunc(found, func(a, b resource) int {
		return sign * strings.Compare(textOf(a[q.property]), textOf(b[q.property]))
	})
	return found
}

// textOf returns the text of a field, empty for null.
func textOf(value any) string {
	if text, isText := value.(string); isText {
		return text
	}
	return ""
}

// slice returns one page of the disruptions (spec §2). A page beyond the last is empty.
func (q *pageQuery) slice(found []resource) resource {
	pages := (len(found) + q.size - 1) / q.size
	content := []resource{}
	if q.page < pages {
		from := q.page * q.size
		content = found[from:min(from+q.size, len(found))]
	}
	ascending := q.order == "ASC"
	return resource{
		"content": content, "totalPages": pages, "currentPageSize": len(content), "totalElements": len(found),
		"size": q.size, "number": q.page, "firstPage": q.page == 0, "lastPage": q.page >= pages-1,
		"sort": []resource{{
			"direction": q.order, "property": q.property, "ignoreCase": false, "nullHandling": "NATIVE",
			"ascending": ascending, "descending": !ascending,
		}},
	}
}

// shown returns the disruption item of spec §2.
func (d *Disruption) shown(now time.Time) resource {
	shown := resource{
		"type": d.Type, "maintenanceStartAt": timestamp(d.StartAt), "maintenanceEndAt": nil,
		"wholesaleDisruptionId": d.ID, "description": d.Description, "severity": d.Severity,
		"category": d.Category, statusField: d.status(now),
	}
	if d.EndAt != nil {
		shown["maintenanceEndAt"] = timestamp(*d.EndAt)
	}
	return shown
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
