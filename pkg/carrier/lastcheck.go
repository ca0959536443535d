package carrier

import "context"

// lastCheckKey is the context key of the check that is made once a POST has its connection.
type lastCheckKey struct{}

// WithLastCheck returns a context whose POSTs call check after they have a connection, and
// before they write a byte to it. If check returns an error, nothing is written, and the POST
// is NotSent because of that error. Getting the token and the connection may take seconds, so
// the decision to send may be outdated by then. Such a POST uses a connection of its own.
func WithLastCheck(ctx context.Context, check func() error) context.Context {
	return context.WithValue(ctx, lastCheckKey{}, check)
}

// lastCheck returns the check of a context, or nil.
func lastCheck(ctx context.Context) func() error {
	if check, is := ctx.Value(lastCheckKey{}).(func() error); is {
		return check
	}
	return nil
}
