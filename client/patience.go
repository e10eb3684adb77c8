package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
)

// insist sends a request until the server takes it, as long as it is refused because there
// is too much to do, and for no longer than [Client.Patience]. Such a request has
// changed nothing, so it can be sent again.
func (c *Client) insist(ctx context.Context, send func() (*http.Response, error)) (*http.Response, error) {
	left := c.Patience
	for {
		resp, err := send()
		wait, asked := nestor.WaitOf(err)
		if !asked || !errors.Is(err, nestor.ErrRateLimited) || wait > left {
			return resp, err
		}
		wait += rand.N(wait/4 + time.Millisecond) // not all at once
		left -= wait
		if c.Waiting != nil {
			c.Waiting(wait, err)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		case <-timer.C:
		}
	}
}
