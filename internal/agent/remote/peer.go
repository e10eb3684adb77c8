package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/netguard"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// peer is a remote agent. The SDK's own client would link gRPC, and reads no event of more
// than 64 KiB; its types are used.
type peer struct {
	http    *http.Client
	headers map[string]string
	mask    *secret.Mask
	// endpoint is where it answers, and streams whether it tells what happens.
	endpoint string
	streams  bool
}

// The bounds of what a remote agent may send, and of the time that a question takes.
const (
	maxAnswer  = 16 << 20
	maxCard    = 1 << 20
	maxStream  = 64 << 20
	answerTime = time.Minute
)

// meet reads the card of the remote agent of a role.
func (a *Agents) meet(ctx context.Context, r *role.Remote) (*peer, error) {
	fill := secret.Expander{Env: a.env}
	p := &peer{http: a.http, headers: map[string]string{}}
	for name, value := range r.Headers {
		p.headers[name] = fill.Expand(value)
	}
	address := fill.ExpandURL(r.URL)
	if err := fill.Err(); err != nil {
		return nil, err
	}
	p.mask = fill.Mask()
	ctx, stop := context.WithTimeoutCause(ctx, answerTime, errSlow)
	defer stop()
	res, err := p.send(ctx, http.MethodGet, address, nil, "application/json")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxCard))
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the card of the remote agent broke off")
	}
	var card a2a.AgentCard
	if err = netguard.CheckValues(text); err == nil {
		err = json.Unmarshal(text, &card)
	}
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the card of the remote agent cannot be read: %s", brief(p.mask.Hide(err.Error())))
	}
	p.endpoint, p.streams = endpointOf(&card), card.Capabilities.Streaming
	return p, p.check(address)
}

var errSlow = nestor.Errorf(nestor.CodeTimeout, "the remote agent did not answer in %s", answerTime)

// endpointOf is where an agent answers by JSON-RPC, "" if it does not.
func endpointOf(card *a2a.AgentCard) string {
	if card.PreferredTransport == "" || card.PreferredTransport == a2a.TransportProtocolJSONRPC {
		return card.URL
	}
	for _, other := range card.AdditionalInterfaces {
		if other.Transport == a2a.TransportProtocolJSONRPC {
			return other.URL
		}
	}
	return ""
}

// check refuses an address that the card names if it is on another host than the card:
// headers may hold secrets.
func (p *peer) check(card string) error {
	from, err := url.Parse(card)
	if err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "the address of the card is none")
	}
	to, err := url.Parse(p.endpoint)
	switch {
	case err != nil || p.endpoint == "" || to.Scheme != "http" && to.Scheme != "https":
		return nestor.Errorf(nestor.CodeInvalid, "the card of the remote agent names no address for JSON-RPC")
	case to.Host != from.Host && len(p.headers) > 0:
		return nestor.Errorf(nestor.CodeForbidden, "the card of the remote agent names another host, %s, which may not have its headers", to.Host)
	case from.Scheme == "https" && to.Scheme != "https" && len(p.headers) > 0:
		return nestor.Errorf(nestor.CodeForbidden, "the card of the remote agent names an address without TLS, which may not have its headers")
	}
	return nil
}

// send sends a request. An answer that is no success is an error with a code that says
// whether another attempt makes sense.
func (p *peer) send(ctx context.Context, method, address string, body []byte, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the address of the remote agent is none")
	}
	for name, value := range p.headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept", accept)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.http.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause
		}
		var failed *url.Error // it has the address, which may hold a secret
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, nestor.Errorf(netguard.Code(err), "the remote agent cannot be reached: %s", brief(p.mask.Hide(err.Error())))
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	return nil, p.refused(res)
}

func (p *peer) refused(res *http.Response) error {
	code := nestor.CodeInvalid
	switch {
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		code = nestor.CodeForbidden
	case res.StatusCode == http.StatusTooManyRequests:
		code = nestor.CodeRateLimited
	case res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusRequestTimeout:
		code = nestor.CodeUnavailable
	}
	err := nestor.Errorf(code, "the remote agent answers with %s", brief(res.Status))
	if seconds, no := strconv.Atoi(res.Header.Get("Retry-After")); no == nil && seconds > 0 {
		return errors.Join(err, nestor.RetryAfter(time.Duration(seconds)*time.Second))
	}
	return err
}

// rpcError is a refusal in the words of the protocol.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Error string `json:"error"`
	} `json:"data"`
}

// The codes of the protocol that mean something here.
const (
	codeNoTask        = -32001
	codeNotCancelable = -32002
)

var errNoTask = nestor.Errorf(nestor.CodeNotFound, "the remote agent does not know its task any more")

func (p *peer) explain(e *rpcError) error {
	text := e.Message
	if e.Data.Error != "" {
		text = e.Data.Error
	}
	text = brief(p.mask.Hide(text))
	switch e.Code {
	case codeNoTask:
		return errNoTask
	case codeNotCancelable:
		return nestor.Errorf(nestor.CodeConflict, "the remote task cannot be cancelled")
	case -32603, -32000:
		return nestor.Errorf(nestor.CodeUnavailable, "the remote agent fails: %s", text)
	}
	return nestor.Errorf(nestor.CodeInvalid, "the remote agent refuses: %s", text)
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

func request(method string, params any) ([]byte, error) {
	return json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

// call makes one call and returns its result.
func (p *peer) call(ctx context.Context, method string, params any) (a2a.Event, error) {
	body, err := request(method, params)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, answerTime, errSlow)
	defer stop()
	res, err := p.send(ctx, http.MethodPost, p.endpoint, body, "application/json")
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the answer of the remote agent broke off")
	}
	return p.read(data)
}

// read reads an answer, or an event of a stream.
func (p *peer) read(data []byte) (a2a.Event, error) {
	if err := netguard.CheckValues(data); err != nil {
		return nil, err
	}
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the remote agent answers with something else than JSON-RPC")
	}
	if a.Error != nil {
		return nil, p.explain(a.Error)
	}
	e, err := a2a.UnmarshalEventJSON(a.Result)
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the answer of the remote agent cannot be read: %s", brief(p.mask.Hide(err.Error())))
	}
	return e, nil
}

// stream makes a call whose answer are events. One that breaks off ends with an error.
func (p *peer) stream(ctx context.Context, method string, params any) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		body, err := request(method, params)
		if err != nil {
			yield(nil, err)
			return
		}
		res, err := p.send(ctx, http.MethodPost, p.endpoint, body, "text/event-stream")
		if err != nil {
			yield(nil, err)
			return
		}
		defer res.Body.Close()
		events := llm.NewEventStream(io.LimitReader(res.Body, maxStream))
		for events.Next() {
			e, err := p.read(events.Data())
			if !yield(e, err) || err != nil {
				return
			}
		}
		if err := events.Err(); err != nil && ctx.Err() == nil {
			yield(nil, nestor.Errorf(nestor.CodeUnavailable, "the stream of the remote agent broke off"))
		}
	}
}
