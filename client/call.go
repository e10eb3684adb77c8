package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"strings"
)

// Call sends a request to a route that this package has no method for, such as one
// of a module, and decodes the answer into a T. The path is what comes after /api/v1,
// with its query. The body is nil, a [File], or anything that can be sent as JSON.
func Call[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	return do[T](ctx, c, method, path, body)
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
