package llm

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/nestorhq/nestor"
)

const defaultStallTimeout = 60 * time.Second

// Endpoint is the HTTP side of a provider: what all of them share above the
// network, and below an SDK where one is used. It watches every exchange and
// turns each failure into a [nestor.Error] that names the provider and never
// the key.
type Endpoint struct {
	// Provider is the name used in messages, for example "openai".
	Provider string
	// Key says in messages which key is meant.
	Key KeyName
	// APIKey is erased from every message, and so are the values of Headers.
	APIKey string
	// Headers are sent with every request, in place of the provider's own.
	Headers map[string]string
	// WholeReplies: the provider understands an answer in JSON, too, from
	// servers that do not stream.
	WholeReplies bool
	// Client sends the requests. Defaults to one on http.DefaultTransport.
	Client *http.Client
	// StallTimeout is how long the server may send nothing. Defaults to 60 s.
	StallTimeout time.Duration
}

// KeyName says where an API key comes from, for messages about it.
type KeyName struct {
	// Connection is the model connection that holds it, if one does.
	Connection string
	// Variable is the environment variable that holds it otherwise.
	Variable string
}

// HTTPClient returns the client to hand to a provider's SDK. It follows no
// redirect: those would carry the key to another host.
func (e *Endpoint) HTTPClient() *http.Client {
	var c http.Client
	if e.Client != nil {
		c = *e.Client
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	c.Transport = watcher{next: headed{e.Headers, c.Transport}}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// Stream makes one model call. It checks req, runs call with a context that
// ends with the loop over the events, and yields what call writes. When both
// the network and the SDK report a failure, that of the network is returned: it
// explains more.
func (e *Endpoint) Stream(
	ctx context.Context, req *Request, call func(context.Context, *Request, *Writer) error,
) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		req, err := prepare(req)
		if err != nil {
			yield(nil, err)
			return
		}
		x, callCtx := e.begin(ctx)
		defer x.end()
		x.media = marked(req)

		w := &Writer{ctx: ctx, yield: yield, replyID: strconv.Itoa(len(req.Messages)), bounds: newBounds(req.MaxTokens)}
		w.calls.known = func(name string) bool {
			return slices.ContainsFunc(req.Tools, func(t Tool) bool { return t.Name == name })
		}
		err = call(callCtx, req, w)
		if errors.Is(err, errCut) {
			w.Finish(ReasonLength)
			err = nil
		}
		if x.failure != nil {
			err = x.failure
		}
		if err == nil {
			err = w.close()
		}
		if err != nil && !w.stopped {
			yield(nil, e.explain(ctx, err))
		}
	}
}

// Ask makes a request whose answer is one JSON document. Failures are explained
// as those of [Endpoint.Stream].
func (e *Endpoint) Ask(ctx context.Context, call func(context.Context) error) error {
	x, callCtx := e.begin(ctx)
	defer x.end()
	x.whole = true
	err := call(callCtx)
	if x.failure != nil {
		err = x.failure
	}
	if err != nil {
		return e.explain(ctx, err)
	}
	return nil
}

// explain makes a [nestor.Error] of an error of the provider's code or its SDK.
// SDK errors hold requests, and those the key: only their text is kept,
// redacted.
func (e *Endpoint) explain(ctx context.Context, err error) error {
	var ours *nestor.Error
	switch {
	case errors.As(err, &ours):
		return ours
	case ctx.Err() != nil:
		return Interrupted(ctx, "the call to "+e.Provider)
	default:
		return nestor.Errorf(nestor.CodeUnavailable, "%s sent something that is not its protocol: %s",
			e.Provider, e.clean(err.Error()))
	}
}

// headed sends headers with every request.
type headed struct {
	headers map[string]string
	next    http.RoundTripper
}

func (t headed) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(t.headers) > 0 {
		req = req.Clone(req.Context())
		for name, value := range t.headers {
			req.Header.Set(name, value)
		}
	}
	return t.next.RoundTrip(req)
}
