package httptool

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// OpenAPI makes a tool of every operation in an OpenAPI 3 document, in JSON or YAML.
type OpenAPI struct {
	Comment string `json:"$comment,omitempty"`
	// File or URL says where the document is.
	File string `json:"file,omitempty"`
	URL  string `json:"url,omitempty"`
	// Prefix comes before the name of every operation.
	Prefix string `json:"prefix,omitempty"`
	// BaseURL replaces the servers that the document names.
	BaseURL string `json:"baseURL,omitempty"`
	// Headers and Query are sent with every call; ${NAME} takes an environment
	// variable.
	Headers map[string]string `json:"headers,omitempty"`
	Query   map[string]string `json:"query,omitempty"`
	// Operations selects by names and globs: of the operation id, the name of the tool, the
	// path, or method and path. Defaults to all.
	Operations []string `json:"operations,omitempty"`
	// AllowPrivate permits addresses that are not on the public internet, for
	// the document and for the calls.
	AllowPrivate bool `json:"allowPrivate,omitempty"`
	// Settings for every operation. The effect defaults to what the method
	// promises.
	tool.Settings
}

// maxDocument bounds the size of an OpenAPI document.
const maxDocument = 16 << 20

// Check reports what makes no sense before anything is read.
func (c OpenAPI) Check() error {
	if (c.File == "") == (c.URL == "") {
		return nestor.Errorf(nestor.CodeInvalid, "give either file or url")
	}
	if c.URL != "" && !strings.HasPrefix(c.URL, "https://") && !strings.HasPrefix(c.URL, "http://") {
		return nestor.Errorf(nestor.CodeInvalid, "url %q is not an http or https address", c.URL)
	}
	return c.Settings.Check()
}

// FromOpenAPI reads a document and makes its tools, in the order of paths and
// methods. It tells which operations were selected and cannot be called.
func FromOpenAPI(ctx context.Context, c OpenAPI, opts Options) ([]*tool.Tool, []tool.LeftOut, error) {
	opts = opts.withDefaults()
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	data, location, err := c.read(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	doc, err := parseDocument(data, location)
	if err != nil {
		return nil, nil, err
	}
	// Whoever changes a document somewhere else must not get what is sent with calls.
	doc.private = len(c.Headers) > 0 || len(c.Query) > 0
	// Variables are filled into our own configuration only: a document from
	// somewhere else must not be able to name one and have it sent home.
	expander := &secret.Expander{Env: opts.Env}
	headers, query := expandAll(expander, c.Headers), expandAll(expander, c.Query)
	operations, err := doc.operations(expander.Expand(c.BaseURL))
	if err != nil {
		return nil, nil, expander.Mask().HideError(err)
	}
	missing, mask := expander.Err(), expander.Mask()
	clients := newClients(c.AllowPrivate)
	own := make([]string, len(operations))
	for i, op := range operations {
		own[i] = c.Prefix + op.id
	}
	names := tool.Names(own) // of all, so that a selection changes no name
	var tools []*tool.Tool
	var left []tool.LeftOut
	for i, op := range operations {
		if len(c.Operations) > 0 && !tool.Selects(c.Operations, op.id, tool.CleanName(op.id), names[i], op.path, op.method+" "+op.path) {
			continue
		}
		if op.unsupported != "" {
			left = append(left, tool.LeftOut{Name: names[i], Reason: op.unsupported})
			continue
		}
		e := &endpoint{
			method: op.method, url: op.url, params: op.params, body: op.body,
			headers: headers, query: query, clients: clients, missing: missing, mask: mask,
		}
		t, err := e.tool(tool.Spec{Name: own[i], Description: op.description, Parameters: op.parameters}, c.Settings)
		if errors.Is(err, nestor.ErrTooLarge) {
			left = append(left, tool.LeftOut{Name: names[i], Reason: err.Error()})
			continue
		}
		if err != nil {
			return nil, nil, nestor.Errorf(nestor.CodeOf(err), "operation %s: %w", op.id, err)
		}
		tools = append(tools, t.As(names[i], op.id, op.path, op.method+" "+op.path))
	}
	return tools, left, nil
}

// read returns the document and, if it came over the network, its address.
func (c OpenAPI) read(ctx context.Context, opts Options) ([]byte, *url.URL, error) {
	if c.File != "" {
		name := c.File
		if !filepath.IsAbs(name) {
			name = filepath.Join(opts.Dir, name)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, nestor.Errorf(nestor.CodeInvalid, "the document cannot be read: %w", err)
		}
		return data, nil, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, tool.DefaultTimeout,
		nestor.Errorf(nestor.CodeTimeout, "no document within %s", tool.DefaultTimeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	if err != nil {
		return nil, nil, nestor.Errorf(nestor.CodeInvalid, "url: %w", err)
	}
	req.Header.Set("Accept", "application/json, application/yaml;q=0.9, */*;q=0.8")
	client := newClients(c.AllowPrivate).usual
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return nil, nil, nestor.Errorf(nestor.CodeUnavailable, "the document cannot be fetched: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, nestor.Errorf(nestor.CodeUnavailable, "the document cannot be fetched: %s answers HTTP %s", c.URL, resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil {
		return nil, nil, nestor.Errorf(nestor.CodeUnavailable, "the document cannot be fetched: %w", err)
	}
	if len(data) > maxDocument {
		return nil, nil, nestor.Errorf(nestor.CodeTooLarge, "the document is larger than %d bytes", maxDocument)
	}
	return data, resp.Request.URL, nil
}
