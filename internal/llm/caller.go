package llm

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// Caller sends the requests of a provider that speaks its wire format itself,
// without an SDK. Use it inside [Endpoint.Stream] and [Endpoint.Ask] only: they
// watch the exchange and explain what went wrong.
type Caller struct {
	base   *url.URL
	header http.Header
	client *http.Client
}

// Caller returns a caller of the API at an address. Each request carries the
// header; those of the endpoint take precedence.
func (e *Endpoint) Caller(base string, header http.Header) (*Caller, error) {
	address, err := url.Parse(base)
	if err != nil || address.Host == "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s needs an absolute base URL", e.Provider)
	}
	header = header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("User-Agent", "nestor")
	return &Caller{base: address, header: header, client: e.HTTPClient()}, nil
}

// Host is the name of the server.
func (c *Caller) Host() string { return c.base.Hostname() }

// Refusal is an answer that is not a reply. Providers look at its body for
// words that they know; people are shown the error in it.
type Refusal struct {
	Status int
	Body   []byte
	err    error
}

func (r *Refusal) Error() string { return r.err.Error() }
func (r *Refusal) Unwrap() error { return r.err }

// Post sends a JSON document to a path below the base URL, which may have a
// query, and returns the answer. The error of a server that refuses is a
// [Refusal].
//
// The document may come in pieces, which are not joined: most of what a model is told
// again and again is kept somewhere already, and a request holds on to its document
// until the answer begins.
func (c *Caller) Post(ctx context.Context, path string, document ...[]byte) (*http.Response, error) {
	req, err := c.request(ctx, http.MethodPost, path)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.ContentLength = (&pieces{rest: document}).Len()
	req.GetBody = func() (io.ReadCloser, error) {
		return &pieces{rest: document}, nil
	}
	if req.Body, err = req.GetBody(); err != nil {
		return nil, err
	}
	return c.send(req)
}

// pieces is a body that is sent piece by piece, without a copy where the connection can
// do that (see connection.ForMany). It leaves the document as it is.
type pieces struct {
	rest [][]byte
	read int // of the first
}

func (p *pieces) Close() error { return nil }

// Len is how much has not been read yet.
func (p *pieces) Len() int64 {
	n := int64(-p.read)
	for _, piece := range p.rest {
		n += int64(len(piece))
	}
	return n
}

func (p *pieces) Read(to []byte) (n int, err error) {
	for len(p.rest) > 0 && n < len(to) {
		some := copy(to[n:], p.rest[0][p.read:])
		n += some
		if p.read += some; p.read == len(p.rest[0]) {
			p.rest, p.read = p.rest[1:], 0
		}
	}
	if n == 0 && len(to) > 0 {
		err = io.EOF
	}
	return n, err
}

func (p *pieces) WriteTo(w io.Writer) (int64, error) {
	if len(p.rest) == 0 {
		return 0, nil
	}
	all := net.Buffers(slices.Clone(p.rest))
	all[0] = all[0][p.read:]
	p.rest, p.read = nil, 0
	return all.WriteTo(w)
}

// Get decodes the JSON document at a path below the base URL, which may have a
// query.
func (c *Caller) Get(ctx context.Context, path string, into any) error {
	req, err := c.request(ctx, http.MethodGet, path)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.send(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	return json.NewDecoder(resp.Body).Decode(into)
}

// request keeps the query of the base URL: gateways select a version with it.
func (c *Caller) request(ctx context.Context, method, path string) (*http.Request, error) {
	path, query, _ := strings.Cut(path, "?")
	address := c.base.JoinPath(path)
	address.RawQuery = strings.Trim(address.RawQuery+"&"+query, "&")
	req, err := http.NewRequestWithContext(ctx, method, address.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = c.header.Clone()
	return req, nil
}

func (c *Caller) send(req *http.Request) (*http.Response, error) {
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	if x, ok := req.Context().Value(exchangeKey{}).(*exchange); ok && x.failure != nil {
		body, _ := io.ReadAll(resp.Body) // the watcher has read and bounded it
		return nil, &Refusal{Status: resp.StatusCode, Body: body, err: x.failure}
	}
	return resp, nil
}
