package httptool

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// endpoint carries out the calls of one tool.
type endpoint struct {
	method  string
	url     template
	params  []param
	query   map[string]string // sent with every call
	headers map[string]string // sent with every call; they win over arguments
	body    body
	clients clients
	// missing says which environment variables are not set.
	missing error
	mask    *secret.Mask
}

// body says how a request body is made.
type body struct {
	// argument is the one that is the whole body. If empty, the arguments
	// placed in the body are the members of a JSON object.
	argument string
	// kind is the media type that goes with argument: a form or some JSON.
	kind string
}

const formKind = "application/x-www-form-urlencoded"

func (b body) isForm() bool {
	base, _, _ := strings.Cut(b.kind, ";")
	return base == formKind
}

// tool wraps the endpoint. Settings win over what the method promises.
func (e *endpoint) tool(spec tool.Spec, settings tool.Settings) (*tool.Tool, error) {
	spec.Effect = effectOf(e.method)
	settings.Apply(&spec)
	if e.missing != nil {
		spec.Needs = e.missing.Error()
	}
	return tool.New(spec, func(ctx context.Context, call tool.Call) (tool.Output, error) {
		output, lost, err := e.run(ctx, call)
		if err = e.mask.HideError(err); lost {
			err = tool.Unknown(err)
		}
		return output, err
	})
}

// run makes one request. Lost says that the server may have carried it out although
// there is an error: it was sent, and there is no whole answer.
func (e *endpoint) run(ctx context.Context, call tool.Call) (output tool.Output, lost bool, err error) {
	if e.missing != nil {
		return output, false, e.missing
	}
	args, err := parseArguments(call.Arguments)
	if err != nil {
		return output, false, err
	}
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }})
	req, err := e.request(ctx, args)
	if err != nil {
		return output, false, err
	}
	if call.Effect != tool.Pure && call.IdempotencyKey != "" {
		req.Header.Set("Idempotency-Key", call.IdempotencyKey)
	}
	client := e.clients.usual
	if call.Effect == tool.Once {
		client = e.clients.once
	}
	resp, err := client.Do(req)
	if err != nil {
		return output, sent.Load(), nestor.Errorf(netguard.Code(err), "the request failed: %w", err)
	}
	defer resp.Body.Close()
	return e.read(resp)
}

func (e *endpoint) request(ctx context.Context, args arguments) (*http.Request, error) {
	address, err := e.address(args)
	if err != nil {
		return nil, err
	}
	content, contentType, err := e.content(args)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, e.method, address, content)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the request cannot be made: %w", err)
	}
	req.Header.Set("User-Agent", "nestor")
	req.Header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.1")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for _, p := range e.params {
		if p.in == InHeader {
			if err := args.header(req.Header, p); err != nil {
				return nil, err
			}
		}
	}
	for name, value := range e.headers {
		req.Header.Set(name, value)
	}
	return req, nil
}

func (e *endpoint) address(args arguments) (string, error) {
	address, err := e.url.fill(args)
	if err != nil {
		return "", err
	}
	query := url.Values{}
	for _, p := range e.params {
		if p.in == InQuery {
			if err := args.query(query, p); err != nil {
				return "", err
			}
		}
	}
	for name, value := range e.query {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return address, nil
	}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + query.Encode(), nil
}

// content returns the request's body, if it has one.
func (e *endpoint) content(args arguments) (io.Reader, string, error) {
	if e.body.argument == "" {
		members := map[string]json.RawMessage{}
		for _, p := range e.params {
			if raw, ok := args[p.argument]; ok && p.in == InBody {
				members[p.name] = raw
			}
		}
		if len(members) == 0 {
			return nil, "", nil
		}
		text, err := json.Marshal(members)
		return bytes.NewReader(text), "application/json", err
	}
	raw, ok := args[e.body.argument]
	if !ok {
		return nil, "", nil
	}
	if !e.body.isForm() {
		return bytes.NewReader(raw), e.body.kind, nil
	}
	fields := url.Values{}
	if err := args.query(fields, param{argument: e.body.argument, name: e.body.argument}); err != nil {
		return nil, "", err
	}
	return strings.NewReader(fields.Encode()), e.body.kind, nil
}
