package carrier

import "net/http"

// statusDeliveries has the error statuses that prove something. 401: "bearer token missing or
// invalid" (spec §7). A rate limiter runs before the handler, so 425 and 429 prove that nothing was
// done. All other statuses prove nothing: 408, 409, 5xx and redirects can also follow completed
// work.
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

// statusClasses has the statuses with a class of their own.
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
