package client

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
)

// Call sends a request to a route that this package has no method for, such as one
// of a module, and decodes the answer into a T. The path is what comes after /api/v1,
// with its query. The body is nil, a [File], or anything that can be sent as JSON.
func Call[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	return do[T](ctx, c, method, path, body)
}

// Send sends a request to a path of the server outside of the API, such as /mcp, on
// behalf of whoever the client is for. Whatever the server answers is for the caller,
// who closes its body.
func (c *Client) Send(ctx context.Context, method, path string, header http.Header, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the request makes no sense: %w", err)
	}
	if header != nil {
		req.Header = header.Clone()
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the server cannot be reached: %w", err)
	}
	return resp, nil
}

// File is the body of a request that uploads a file.
type File struct {
	// Name is that of the file, or "".
	Name string
	Data []byte
}

// List yields everything that a route lists, page after page.
func List[T any](ctx context.Context, c *Client, path string) iter.Seq2[T, error] {
	return list[T](ctx, c, path)
}

// Message is an event of a stream that [Client.Follow] follows.
type Message struct {
	// Name is the kind of event.
	Name string
	Data json.RawMessage
}

// Follow yields the events of a stream that this package has no method for, such as
// one of a module, until ctx ends or the caller stops. A connection that breaks, or
// that the server ends, is opened again, and the stream goes on exactly where it was:
// so a caller stops at the event that it knows to be the last.
func (c *Client) Follow(ctx context.Context, path string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		err := c.follow(ctx, path, Now, func(m message, _ string) error {
			switch {
			case m.name == "": // a sign of life
			case m.name == "resync":
				return errTooOld
			case !yield(Message{Name: m.name, Data: json.RawMessage(m.data)}, nil):
				return errStopped
			}
			return nil
		})
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// withQuery adds a parameter to a path.
func withQuery(path, name, value string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + name + "=" + url.QueryEscape(value)
}
