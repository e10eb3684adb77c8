package mcp

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/recovery"
)

// dispatch answers the methods whose answers depend on the caller. Everything else is
// the SDK's, and so are names that we do not know.
func (s *session) dispatch(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (res sdk.Result, err error) {
		failure := recovery.Call(func() error { // the SDK calls this in a goroutine of its own
			res, err = s.dispatchOne(ctx, next, method, r)
			return nil
		})
		if failure != nil {
			return nil, s.door.rpcError(failure)
		}
		return res, err
	}
}

func (s *session) dispatchOne(ctx context.Context, next sdk.MethodHandler, method string, r sdk.Request) (sdk.Result, error) {
	answer := s.answer(ctx, r)
	if answer == nil {
		return next(ctx, method, r)
	}
	req, err := requestOf(r)
	if err != nil {
		return nil, s.door.rpcError(err)
	}
	until, cancel := context.WithCancelCause(s.ctx)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	later, stop := req.Outlive(until)
	defer stop()
	res, err := answer(later)
	if errors.Is(err, errNotOurs) {
		return next(ctx, method, r)
	}
	if err != nil {
		return nil, s.door.rpcError(err)
	}
	return res, nil
}

// errNotOurs: the name is none that we know. The SDK says so to the client.
var errNotOurs = errors.New("it is not ours")

// answer is how a request is answered, nil if that is for the SDK.
func (s *session) answer(ctx context.Context, r sdk.Request) func(*httpapi.Request) (sdk.Result, error) {
	switch r := r.(type) {
	case *sdk.ListToolsRequest:
		return func(req *httpapi.Request) (sdk.Result, error) { return listTools(req) }
	case *sdk.CallToolRequest:
		return func(req *httpapi.Request) (sdk.Result, error) {
			c := &call{door: s.door, req: req, ctx: ctx, client: r.Session, token: r.Params.GetProgressToken()}
			return c.run(r.Params)
		}
	case *sdk.ListPromptsRequest:
		return func(req *httpapi.Request) (sdk.Result, error) { return listPrompts(req) }
	case *sdk.GetPromptRequest:
		return func(req *httpapi.Request) (sdk.Result, error) { return getPrompt(req, r.Params) }
	case *sdk.ListResourcesRequest:
		return func(req *httpapi.Request) (sdk.Result, error) { return listResources(req, r.Params) }
	case *sdk.ListResourceTemplatesRequest:
		return func(*httpapi.Request) (sdk.Result, error) {
			return &sdk.ListResourceTemplatesResult{Cacheable: private, ResourceTemplates: templates}, nil
		}
	case *sdk.ReadResourceRequest:
		return func(req *httpapi.Request) (sdk.Result, error) { return s.door.readResource(req, r.Params.URI) }
	}
	return nil
}

// private says that an answer is for its caller alone, and not to be kept.
var private = sdk.Cacheable{CacheScope: "private"}

// rpcError is an error as the client may be told of it. What is unforeseen is logged and
// not shown.
func (d *Door) rpcError(err error) error {
	var known *jsonrpc.Error
	if errors.As(err, &known) {
		return known
	}
	code := int64(jsonrpc.CodeInternalError)
	switch nestor.CodeOf(err) {
	case nestor.CodeInvalid, nestor.CodeNotFound, nestor.CodeConflict, nestor.CodeTooLarge:
		code = jsonrpc.CodeInvalidParams
	case nestor.CodeForbidden, nestor.CodeUnauthenticated, nestor.CodeRateLimited, nestor.CodeUnavailable:
		code = refusedCode
	}
	return &jsonrpc.Error{Code: code, Message: d.tell(err)}
}

// tell is what a client may be told of an error.
func (d *Door) tell(err error) string {
	if text, ok := nestor.PublicText(err); ok {
		return text
	}
	if errors.Is(err, context.Canceled) {
		return "the call was interrupted"
	}
	d.log.Error("a call of the MCP door failed", "error", err)
	return "something went wrong on the server; its log says what"
}

// version is that of the program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
