package carrier

import "net/http"

// statusDeliveries are the error statuses that prove something. 401: "bearer token missing or
// invalid" (spec §7). A limiter stands before the handler, so 425 and 429 prove that nothing was
// done. Every other status proves nothing: a 408, 409 or 5xx, and a redirect too, can follow work
// that was done.
var statusDeliveries = map[int]Delivery{
	http.StatusUnauthorized:          NotProcessed,
	http.StatusTooEarly:              NotProcessed,
	http.StatusTooManyRequests:       NotProcessed,
	http.StatusBadRequest:            Rejected,
	http.StatusForbidden:             Rejected,
	http.StatusNotFound:              Rejected,
	http.StatusMethodNotAllowed:      Rejected,
	http.StatusNotAcceptable:         Rejected,
	http.StatusRequestEntityTooLarge: Rejected,
	http.StatusRequestURITooLong:     Rejected,
	http.StatusUnsupportedMediaType:  Rejected,
	http.StatusUnprocessableEntity:   Rejected,
}

// statusClasses are the statuses that mean something of their own.
var statusClasses = map[int]Class{
	http.StatusBadRequest:            Invalid,
	http.StatusUnauthorized:          Unauthorized,
	http.StatusForbidden:             NotFoundOrForbidden,
	http.StatusNotFound:              NotFoundOrForbidden,
	http.StatusMethodNotAllowed:      Invalid,
	http.StatusNotAcceptable:         Invalid,
	http.StatusRequestEntityTooLarge: Invalid,
	http.StatusRequestURITooLong:     Invalid,
	http.StatusUnsupportedMediaType:  Invalid,
	http.StatusUnprocessableEntity:   Refused,
	http.StatusTooEarly:              Throttled,
	http.StatusTooManyRequests:       Throttled,
}
