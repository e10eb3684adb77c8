package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"github.com/nestorhq/nestor"
)

// Upload stores a file, which messages can then name. The media type may be "": the
// bytes decide. The same bytes are stored once.
func (c *Client) Upload(ctx context.Context, name, mediaType string, r io.Reader) (*nestor.File, error) {
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	resp, err := c.send(ctx, http.MethodPost, "/files?"+url.Values{"filename": {name}}.Encode(), r, http.Header{"Content-Type": {mediaType}})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	f := new(nestor.File)
	if err := json.NewDecoder(resp.Body).Decode(f); err != nil {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the answer cannot be read: %w", err)
	}
	return f, nil
}

// Part is the part of a message that names the file.
func Part(f *nestor.File) nestor.Part {
	return nestor.Part{Type: nestor.PartTypeOf(f.MediaType), FileID: f.ID}
}

// SayParts adds a message of the user that consists of parts; the participant of the
// chat answers it.
func (c *Client) SayParts(ctx context.Context, chatID string, parts ...nestor.Part) (*nestor.Message, error) {
	return do[nestor.Message](ctx, c, http.MethodPost, chatPath(chatID, "messages"), map[string]any{"content": parts})
}

// OpenFile reads a file of the user's own. It must be closed.
func (c *Client) OpenFile(ctx context.Context, id string) (io.ReadCloser, error) {
	return c.openFile(ctx, "/files/"+url.PathEscape(id)+"/content")
}

// OpenChatFile reads a file that messages of a chat name. It must be closed.
func (c *Client) OpenChatFile(ctx context.Context, chatID, id string) (io.ReadCloser, error) {
	return c.openFile(ctx, chatPath(chatID, "files", id))
}

// ExportChat reads a chat as a file, Markdown (md) or JSON (json), with or without what
// agents and tools did. It must be closed.
func (c *Client) ExportChat(ctx context.Context, chatID, format string, agents bool) (io.ReadCloser, error) {
	asked := url.Values{"format": {format}}
	if agents {
		asked.Set("agents", "1")
	}
	return c.openFile(ctx, chatPath(chatID, "export")+"?"+asked.Encode())
}

func (c *Client) openFile(ctx context.Context, path string) (io.ReadCloser, error) {
	resp, err := c.send(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}
