package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// paramsOf are what the methods of the protocol take. The SDK would name its types to who
// sends something else.
var paramsOf = map[string]func() any{
	"initialize": func() any {
		return new(struct {
			ProtocolVersion string                  `json:"protocolVersion"`
			ClientInfo      *sdk.Implementation     `json:"clientInfo"`
			Capabilities    *sdk.ClientCapabilities `json:"capabilities"`
		})
	},
	"ping":                     func() any { return new(sdk.PingParams) },
	"tools/list":               func() any { return new(sdk.ListToolsParams) },
	"tools/call":               func() any { return new(sdk.CallToolParamsRaw) },
	"prompts/list":             func() any { return new(sdk.ListPromptsParams) },
	"prompts/get":              func() any { return new(sdk.GetPromptParams) },
	"resources/list":           func() any { return new(sdk.ListResourcesParams) },
	"resources/templates/list": func() any { return new(sdk.ListResourceTemplatesParams) },
	"resources/read":           func() any { return new(sdk.ReadResourceParams) },
	"resources/subscribe":      func() any { return new(sdk.SubscribeParams) },
	"resources/unsubscribe":    func() any { return new(sdk.UnsubscribeParams) },
	"completion/complete":      func() any { return new(sdk.CompleteParams) },
	//lint:ignore SA1019 the versions that we speak have logs
	"logging/setLevel":          func() any { return new(sdk.SetLoggingLevelParams) },
	"notifications/cancelled":   func() any { return new(sdk.CancelledParams) },
	"notifications/initialized": func() any { return new(sdk.InitializedParams) },
	"notifications/progress":    func() any { return new(sdk.ProgressNotificationParams) },
	//lint:ignore SA1019 they have roots, too
	"notifications/roots/list_changed": func() any { return new(sdk.RootsListChangedParams) },
}

// check reads the body of a request, for the SDK to read it again, and reports why it is no
// message. If a message is wrong that wants an answer, it answers it.
func check(req *httpapi.Request, w http.ResponseWriter) (answered bool, err error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return false, err
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	messages := []json.RawMessage{body}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		if err := turn.Decode(body, &messages, "the request body"); err != nil {
			return false, err
		}
	}
	for _, raw := range messages {
		if err := turn.Decode(raw, new(any), "the request body"); err != nil {
			return false, err
		}
		message, err := jsonrpc.DecodeMessage(raw)
		if err != nil {
			return false, nestor.Errorf(nestor.CodeInvalid, "this is no message of JSON-RPC 2.0")
		}
		call, ok := message.(*jsonrpc.Request)
		if !ok || call.Params == nil || paramsOf[call.Method] == nil {
			continue
		}
		err = turn.Decode(call.Params, paramsOf[call.Method](), call.Method+": params")
		if err == nil {
			continue
		}
		if len(messages) > 1 || !call.IsCall() {
			return false, err
		}
		answer, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidParams, Message: err.Error(),
		}})
		if err != nil {
			return false, err
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer) // a client that went away is all that can fail
		return true, nil
	}
	return false, nil
}
