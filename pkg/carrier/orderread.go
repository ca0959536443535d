package carrier

import (
	"context"
	"fmt"
	"net/http"
)

// Order reads an order: a plain GET by its number, at the client's own version. Its response has
// the fields of the order that was created. The specification does not have this call. An account
// switches it on as the extension OrderRead. The error is an [Error]. A response about another
// order, or without a number, is of class Unreadable.
func (c *Client) Order(ctx context.Context, orderID int64) (Order, error) {
	k := call{
		reads:  OrderRead,
		method: http.MethodGet, path: fmt.Sprintf("/api/connect/orders/%d", orderID), version: c.version,
	}
	if orderID <= 0 {
		return Order{}, &Error{Target: k.target(), Class: Invalid, Message: "the number of an order is above zero"}
	}
	found, err := readResource[Order](ctx, c, k)
	switch {
	case err != nil:
		return Order{}, err
	case found.ID != orderID:
		return Order{}, unreadable(k, errOtherOrder)
	}
	found.RejectedReason = scrubber(nil).message(found.RejectedReason, maxMessage)
	return found, nil
}

// Rejected reports whether the carrier has rejected the order, that is, has given a reason or a
// date for the rejection. The status of the order does not count, because its values are not
// documented.
func (o *Order) Rejected() bool { return o.RejectedReason != "" || o.RejectedOn != "" }
