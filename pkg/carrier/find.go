package carrier

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// finding has what the response to a POST shows about the request.
type finding struct {
	handle    Handle // identifies the accepted request; zero: the response names none
	candidate Handle // identifies the request in the only Location, whatever the status; zero: there is none
	note      string // what is unusual about the handles, not yet scrubbed; empty: nothing
}

// find finds the request in a response. A Location counts under any status, because a gateway that
// replaces the status of a response often leaves its headers.
func (c *Client) find(contract Contract, k call, resp response) finding {
	var found finding
	if contract.Handle == HandleInLocation || contract.Handle == HandleInOrder {
		found.candidate, found.note = c.handleInLocation(contract, k, resp)
	}
	if resp.status != contract.Success {
		if len(resp.header.Values("Location")) == 0 {
			found.note = "" // no other response is expected to have one
		}
		return found
	}
	switch contract.Handle {
	case HandleNone:
	case HandleServiceID:
		// The id in the path is the number of the service (spec §4), so it is taken from the
		// request, regardless of the Location.
		found.handle = handleWithID(contract, k, readSummary(k.body).ServiceID)
	case HandleInOrder:
		found.handle, found.note = handleOfOrder(contract, k, resp, found)
	case HandleInLocation:
		found.handle = found.candidate
	}
	return found
}

// handleOfOrder takes the handle of an order from the Location or the body. If they name different
// orders, it is unknown which one is ours.
func handleOfOrder(contract Contract, k call, resp response, located finding) (Handle, string) {
	id := readSummary(resp.body).ID
	inBody := handleWithID(contract, k, id)
	switch {
	case inBody.IsZero():
		return located.candidate, located.note
	case located.candidate.IsZero():
		return inBody, located.note + "; the id is from the body"
	case !located.candidate.HasID(id):
		return Handle{}, "the Location names order " + located.candidate.ID + ", the body order " + inBody.ID
	}
	return located.candidate, located.note
}

func handleWithID(contract Contract, k call, id int64) Handle {
	if id <= 0 {
		return Handle{}
	}
	return Handle{Operation: contract.Operation, Version: k.version, ID: strconv.FormatInt(id, 10)}
}

// handleInLocation takes the handle from the Location. Two different Locations count as none.
func (c *Client) handleInLocation(contract Contract, k call, resp response) (Handle, string) {
	locations := slices.Compact(resp.header.Values("Location"))
	switch len(locations) {
	case 0:
		return Handle{}, "the response has no Location"
	case 1:
	default:
		return Handle{}, "the response has " + strconv.Itoa(len(locations)) + " Locations"
	}
	handle, err := ParseLocation(contract.Operation, k.version, locations[0])
	if err != nil {
		return Handle{}, err.Error()
	}
	if host := foreignHost(c.origin.String(), locations[0]); host != "" {
		return handle, "the Location names another host, " + host + "; only its id was used"
	}
	return handle, ""
}

// unproven is the error of a POST whose response proves nothing. Its message describes the
// response, because a status alone, such as 404, would look like the carrier's.
func (c *Client) unproven(contract Contract, k call, resp response, note string) *Error {
	failure := c.responseError(k, resp, note)
	if failure.Class != ServerFault {
		failure.Class = Unreadable
	}
	said := note
	switch {
	case resp.status == contract.Success:
		failure.Message = "the response does not show which request was accepted"
	case resp.status < http.StatusBadRequest:
		failure.Message = fmt.Sprintf("the response (%s) does not have the status of an accepted request, which is %d",
			resp.summary(), contract.Success)
	case isStandard(resp.status, resp.body):
		said = failure.Message
		failure.Message = fmt.Sprintf("the response (%s) does not show whether the request was accepted", resp.summary())
	default:
		failure.Message = resp.notCarriers()
	}
	if said != "" {
		failure.Message += ": " + said
	}
	return failure
}

// notCarriers describes a response that has an error status, but not the form of the carrier's
// errors.
func (r response) notCarriers() string {
	return fmt.Sprintf("the response (%s) is not the carrier's, which would have the form of its errors: "+
		"a gateway may have sent it after the carrier had accepted the request", r.summary())
}

// summary names the status and the content type of a response, safe to display.
func (r response) summary() string {
	text := http.StatusText(r.status)
	if kind := excerptOfServer(r.header.Get("Content-Type")); kind != "" {
		text = strings.TrimPrefix(text+", "+kind, ", ")
	}
	return text
}
