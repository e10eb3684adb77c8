// Package client talks to a Nestor server: it creates chats, says things, starts
// and controls agents, and follows what happens, live.
//
//	c := client.New("http://127.0.0.1:8787", os.Getenv("NESTOR_TOKEN"))
//	chat, err := c.CreateChat(ctx, client.NewChat{})
//	said, err := c.Say(ctx, chat.ID, "Compare Go and Rust for a small web server.")
//	for event, err := range c.Events(ctx, chat.ID, client.After(said.Seq)) { … }
//
// Errors are of type [*nestor.Error]: their code says what to do about them.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

// Client is safe for concurrent use.
type Client struct {
	base  string
	token string
	// HTTP sends the requests. Defaults to http.DefaultClient. It must not
	// have a timeout: event streams have no end.
	HTTP *http.Client
	// Patience is how long one call waits in all for a server that has too much to do
	// and says when to come again, before the call fails with
	// [nestor.CodeRateLimited]. Nothing was written until then. Defaults to a minute with
	// [New], and without it to none.
	Patience time.Duration
	// Waiting, if set, is told why and for how long a call waits.
	Waiting func(wait time.Duration, why error)
	// TellRuns has Events tell how the runs of the chat stand, too.
	TellRuns bool
}

// New makes a client for the server at an address such as
// http://127.0.0.1:8787, on behalf of whoever the token or API key belongs to.
func New(address, token string) *Client {
	return &Client{base: strings.TrimRight(address, "/"), token: token, HTTP: http.DefaultClient, Patience: time.Minute}
}

// NewChat says how a chat begins. Everything is optional.
type NewChat struct {
	// ID makes the call repeatable: a second one finds the first one's chat.
	ID                string         `json:"id,omitempty"`
	Title             string         `json:"title,omitempty"`
	ProjectID         string         `json:"projectId,omitempty"`
	ModelConnectionID string         `json:"modelConnectionId,omitempty"`
	Budget            *nestor.Budget `json:"budget,omitempty"`
	// Participant is who answers, such as agent:researcher. Defaults to the
	// orchestrator.
	Participant string `json:"participant,omitempty"`
	// SystemPrompt is what it is told in this chat.
	SystemPrompt string `json:"systemPrompt,omitempty"`
	// Metadata is an object that means something to clients only.
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

// CreateChat begins a chat.
func (c *Client) CreateChat(ctx context.Context, n NewChat) (*nestor.Chat, error) {
	return do[nestor.Chat](ctx, c, http.MethodPost, "/chats", n)
}

// NewFork says where a chat is forked. Everything is optional.
type NewFork struct {
	// ID makes the call repeatable: a second one finds the first one's chat.
	ID string `json:"id,omitempty"`
	// At is the last message that the fork shares. Defaults to the last one of the chat.
	At    string `json:"at,omitempty"`
	Title string `json:"title,omitempty"`
}

// Fork begins a chat that goes on from a message of another one.
func (c *Client) Fork(ctx context.Context, chatID string, n NewFork) (*nestor.Chat, error) {
	return do[nestor.Chat](ctx, c, http.MethodPost, chatPath(chatID, "fork"), n)
}

// Chat reads a chat.
func (c *Client) Chat(ctx context.Context, id string) (*nestor.Chat, error) {
	return do[nestor.Chat](ctx, c, http.MethodGet, chatPath(id), nil)
}

// Chats yields the chats, oldest first.
func (c *Client) Chats(ctx context.Context) iter.Seq2[nestor.Chat, error] {
	return list[nestor.Chat](ctx, c, "/chats")
}

// DeleteChat deletes a chat with everything in it.
func (c *Client) DeleteChat(ctx context.Context, id string) error {
	_, err := do[struct{}](ctx, c, http.MethodDelete, chatPath(id), nil)
	return err
}

// PatchChat changes fields of a chat, such as participant and systemPrompt, from the
// next message on; nil removes one.
func (c *Client) PatchChat(ctx context.Context, id string, fields map[string]any) (*nestor.Chat, error) {
	return do[nestor.Chat](ctx, c, http.MethodPatch, chatPath(id), fields)
}

// Participants yields whom chats can talk to.
func (c *Client) Participants(ctx context.Context) iter.Seq2[nestor.Participant, error] {
	return list[nestor.Participant](ctx, c, "/participants")
}

// Say adds a message of the user; the participant of the chat answers it.
func (c *Client) Say(ctx context.Context, chatID, content string) (*nestor.Message, error) {
	return do[nestor.Message](ctx, c, http.MethodPost, chatPath(chatID, "messages"), map[string]string{"content": content})
}

// Messages yields the messages of a chat, oldest first. A fork begins with those that
// it shares.
func (c *Client) Messages(ctx context.Context, chatID string) iter.Seq2[nestor.Message, error] {
	return list[nestor.Message](ctx, c, chatPath(chatID, "messages"))
}

// Stop ends the answer that is under way in a chat and all its tasks.
func (c *Client) Stop(ctx context.Context, chatID string) error {
	_, err := do[struct{}](ctx, c, http.MethodPost, chatPath(chatID, "stop"), nil)
	return err
}

func chatPath(id string, below ...string) string {
	p := "/chats/" + url.PathEscape(id)
	for _, s := range below {
		p += "/" + url.PathEscape(s)
	}
	return p
}

// do sends a request and decodes the answer.
func do[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	return doWith[T](ctx, c, method, path, body, nil)
}

func doWith[T any](ctx context.Context, c *Client, method, path string, body any, header http.Header) (*T, error) {
	var data []byte
	if file, ok := body.(File); ok {
		data, header = file.Data, http.Header{"Content-Type": {"application/octet-stream"}}
		path = withQuery(path, "filename", file.Name)
	} else if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the request cannot be encoded: %w", err)
		}
	}
	resp, err := c.insist(ctx, func() (*http.Response, error) {
		if body == nil {
			return c.send(ctx, method, path, nil, header)
		}
		return c.send(ctx, method, path, bytes.NewReader(data), header)
	})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body) // to its end, or the connection is lost for the next request
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the answer broke off: %w", err)
	}
	v := new(T)
	if resp.StatusCode == http.StatusNoContent {
		return v, nil
	}
	if err := json.Unmarshal(answer, v); err != nil {
		return nil, nestor.Errorf(nestor.CodeInternal, "the answer cannot be read: %w", err)
	}
	return v, nil
}

// send returns the answer to a request that succeeded.
func (c *Client) send(ctx context.Context, method, path string, body io.Reader, header http.Header) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+"/api/v1"+path, body)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the request makes no sense: %w", err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the server cannot be reached: %w", err)
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, failure(resp)
}

// failure is the error that an answer describes. One that is not a Nestor
// server's comes from something in between, such as a proxy.
func failure(resp *http.Response) error {
	var body struct {
		Error struct {
			Code    nestor.Code    `json:"code"`
			Message string         `json:"message"`
			Details map[string]any `json:"details"`
		} `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&body); err != nil || body.Error.Code == "" {
		code := nestor.CodeInvalid
		if resp.StatusCode >= 500 {
			code = nestor.CodeUnavailable
		}
		return nestor.Errorf(code, "what answers is not a Nestor server: %s", resp.Status)
	}
	e := &nestor.Error{Code: body.Error.Code, Message: body.Error.Message, Details: body.Error.Details}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds >= 0 {
		e.Err = nestor.RetryAfter(time.Duration(seconds) * time.Second)
	}
	return e
}

// list yields all pages of a list.
func list[T any](ctx context.Context, c *Client, path string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		cursor := ""
		for {
			page, err := do[struct {
				Items []T    `json:"items"`
				Next  string `json:"next"`
			}](ctx, c, http.MethodGet, withQuery(withQuery(path, "limit", strconv.Itoa(pageSize)), "cursor", cursor), nil)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if cursor = page.Next; cursor == "" {
				return
			}
		}
	}
}

const pageSize = 200
