package chain

import (
	"context"
	"time"

	"github.com/corridor-go/corridor/errcodes"
)

// call bounds a call of a feed, whether or not the feed heeds its context, and
// makes an error of its panic.
func call[T any](ctx context.Context, limit time.Duration, feed func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		defer cancel()
		var a answer
		defer func() {
			if v := recover(); v != nil {
				a.err = errcodes.Panicked(errcodes.PriceUnavailable, v)
			}
			answered <- a
		}()
		a.value, a.err = feed(ctx)
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-ctx.Done():
		// The answer may have come in the same moment.
		select {
		case a := <-answered:
			return a.value, a.err
		default:
			var none T
			return none, ctx.Err()
		}
	}
}
