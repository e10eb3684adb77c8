package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/web"
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
	"ping":                             func() any { return new(sdk.PingParams) },
	"tools/list":                       func() any { return new(sdk.ListToolsParams) },
	"tools/call":                       func() any { return new(sdk.CallToolParamsRaw) },
	"prompts/list":                     func() any { return new(sdk.ListPromptsParams) },
	"prompts/get":                      func() any { return new(sdk.GetPromptParams) },
	"resources/list":                   func() any { return new(sdk.ListResourcesParams) },
	"resources/templates/list":         func() any { return new(sdk.ListResourceTemplatesParams) },
	"resources/read":                   func() any { return new(sdk.ReadResourceParams) },
	"resources/subscribe":              func() any { return new(sdk.SubscribeParams) },
	"resources/unsubscribe":            func() any { return new(sdk.UnsubscribeParams) },
	"completion/complete":              func() any { return new(sdk.CompleteParams) },
	"logging/setLevel":                 func() any { return new(sdk.SetLoggingLevelParams) },
	"notifications/cancelled":          func() any { return new(sdk.CancelledParams) },
	"notifications/initialized":        func() any { return new(sdk.InitializedParams) },
	"notifications/progress":           func() any { return new(sdk.ProgressNotificationParams) },
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
		if err := json.Unmarshal(body, &messages); err != nil {
			return false, web.Unexpected(err, &messages)
		}
	}
	for _, raw := range messages {
		if err := web.Decode(raw, new(any)); err != nil {
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
		into := paramsOf[call.Method]()
		err = json.Unmarshal(call.Params, into)
		if err == nil {
			continue
		}
		text, _, mismatch := nestor.Mismatch(err, into, "params")
		if !mismatch {
			text = "the params make no sense"
		}
		if len(messages) > 1 || !call.IsCall() {
			return false, nestor.Errorf(nestor.CodeInvalid, "%s: %s", call.Method, text)
		}
		answer, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: call.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidParams, Message: call.Method + ": " + text,
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
